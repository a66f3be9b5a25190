// dpmix.compare_svg: the columns of a protected table beside those of a synthetic one, exactly, for
// the owner's eyes. NOT PRIVATE; no charge.
#include "core/comparison/pair_tables.hpp"
#include "core/drawing/shares.hpp"
#include "pg/border/texts.hpp"
#include "pg/comparison/passes.hpp"
#include "pg/comparison/request.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_compare_svg);
}

namespace dpmix::pg {
namespace {

// A column as the picture shows it, its texts in UTF-8.
struct ShownColumn {
  const char* name;
  AxisUnit unit;
  const char** category;  // NULL: cells between bounds
  int categories;
};

ShownColumn shown_column(const CompareColumns* columns, int column) {
  ShownColumn shown = {as_utf8(column_name(columns, column)), AxisUnit::number, NULL, 0};
  const int numbers = label_column(columns) - columns->categorical;
  if (column < numbers) {
    shown.unit = axis_unit(columns->numbers->type[column]);
    if (shown.unit != AxisUnit::boolean) return shown;
  }
  const bool boolean = column < numbers;
  shown.categories = boolean ? 2 : category_count(columns, column);
  shown.category = (const char**)palloc(shown.categories * sizeof(char*));
  for (int k = 0; k < shown.categories; k++) {
    const char* truth = k == 0 ? "false" : "true";
    shown.category[k] = boolean ? truth : as_utf8(category_name(columns, column, k));
  }
  return shown;
}

std::vector<double> shares_of(const BinCounts& counts, const PairCells& table) {
  double rows = 0;
  std::vector<double> shares;
  for (int i = table.first; i < table.first + table.cells; i++) {
    shares.push_back(static_cast<double>(counts.count(0, i)));
    rows += shares.back();
  }
  for (double& share : shares) share /= rows;  // NaN without a row
  return shares;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_compare_svg(PG_FUNCTION_ARGS) {
  const CompareCall* call = exact_call(fcinfo);
  if (call->columns->bins == 0) {
    refuse_argument("bins is NULL", "A picture of numbers needs cells.", "Leave it out for 10.");
  }
  tell_not_private("dpmix.compare_svg");
  CompareScan scan = {call->copy, 0, false, false, false, true, false, {NULL, 0}};
  const CompareStates* synthetic = read_synthetic(&scan, call->synthetic);
  scan.columns = call->columns;
  const CompareStates* real = run_compare(&scan, plan_exact_compare(&scan, call->table), {NULL, 0});
  const char* names[] = {as_utf8(get_rel_name(call->table->relation)),
                         as_utf8(get_rel_name(call->synthetic))};
  const int columns = label_column(call->columns) + (call->columns->label != NULL ? 1 : 0);
  ShownColumn* shown = (ShownColumn*)palloc(Max(columns, 1) * sizeof(ShownColumn));
  for (int i = 0; i < columns; i++) shown[i] = shown_column(call->columns, i);
  PG_RETURN_TEXT_P(guard([&] {
    const ComparedColumns known = public_columns(call->columns);
    SharesPicture picture{names[0], names[1], {}};
    const std::vector<int> paired = paired_columns(known);
    const PairShape shape = pair_shape(known);
    const std::vector<PairCells> tables = shape.tables();
    const BinCounts here = pair_counts(real), there = pair_counts(synthetic);
    for (std::size_t i = 0; i < paired.size(); i++) {
      const ShownColumn& column = shown[paired[i]];
      picture.columns.push_back({column.name,
                                 column.unit,
                                 shape.columns[i].lower,
                                 shape.columns[i].upper,
                                 {column.category, column.category + column.categories},
                                 shares_of(here, tables[i]),
                                 shares_of(there, tables[i])});
    }
    return text_of(draw_shares(picture));
  }));
}
