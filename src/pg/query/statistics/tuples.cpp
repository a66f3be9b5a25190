#include "pg/query/statistics/tuples.hpp"

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"

extern "C" {
#include "access/htup_details.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// What a row of a table takes besides its values.
constexpr double kRowHeader = MAXALIGN(SizeofHeapTupleHeader) + sizeof(ItemIdData);
constexpr double kLongestNumber = 64 * 1024;

// Its rows are those of its tables, or where one may meet several as many as these make.
double count_of_layer(const QuerySource* source, double (*rows)(Oid)) {
  if (!source->layer->multiplies) return Max(measure_of(source, rows), 1.);
  double product = 1;
  ListCell* cell;
  foreach (cell, relations_of(source)) product *= Max(rows(lfirst_oid(cell)), 1.);
  return product;
}

double count_of(const RowScope* scope, const List* expressions, bool with_unit,
                double (*rows)(Oid)) {
  if (scope->sources->source[0].layer != NULL) {
    return count_of_layer(&scope->sources->source[0], rows);
  }
  const JoinedRows* joined = scope->joined;
  const Bitmapset* named = pull_varnos(NULL, (Node*)expressions);
  const bool all = !bms_is_subset(named, bms_union(joined->first, joined->several));
  bool by_first = all || bms_overlap(named, joined->first), by_unit = false;
  double product = 1;
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    const bool counts = all || bms_is_member(source->varno, named);
    if (!counts || !bms_is_member(source->varno, joined->several)) continue;
    product *= Max(rows(source->relation), 1.);
    by_unit = by_unit || source->table != NULL;  // its row is of one unit
  }
  const double first = Max(rows(scope->sources->first->relation), 1.);
  by_first = by_first || (with_unit && !by_unit);
  const double met_none = product > 1 ? first : 0;  // rows of a LEFT JOIN that met none
  return product * (by_first ? first : 1) + met_none;
}

bool is_met_once(const RowScope* scope, const QuerySource* source) {
  if (source->layer != NULL) return !source->layer->multiplies;
  return source->table == scope->sources->first ||
         bms_is_member(source->varno, scope->joined->several);
}

// 0: it is stored in a table.
double longest_of(const RowScope* scope, const Node* expression) {
  const LayerColumn* made =
      IsA(expression, Var) ? layer_column(scope, (const Var*)expression) : NULL;
  return made != NULL ? made->longest : longest_text(expression);
}

}  // namespace

bool is_stored_once(const RowScope* scope, const Expr* value) {
  while (IsA(value, RelabelType)) value = ((const RelabelType*)value)->arg;
  if (!IsA(value, Var)) return false;
  const LayerColumn* made = layer_column(scope, (const Var*)value);
  return is_met_once(scope, source_of(scope, (const Var*)value)) &&
         (made == NULL || made->longest == 0);
}

Tuples tuples_of(const RowScope* scope, const List* expressions, bool with_unit,
                 double (*rows)(Oid)) {
  Tuples made = {count_of(scope, expressions, with_unit, rows), 0};
  Bitmapset* stored = NULL;
  const ListCell* cell;
  foreach (cell, expressions) {
    const Node* expression = (const Node*)lfirst(cell);
    if (get_typlen(exprType(expression)) != -1) continue;
    const double longest = longest_of(scope, expression);
    made.text_bytes += longest * made.count;
    if (longest == 0) stored = bms_add_members(stored, pull_varnos(NULL, (Node*)expression));
  }
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    if (!bms_is_member(source->varno, stored)) continue;
    const double here = Max(measure_of(source, rows), 1.);
    const double bytes =
        Max(measure_of(source, public_size) - kRowHeader * measure_of(source, rows_in), 0.);
    made.text_bytes += is_met_once(scope, source) ? bytes * Max(made.count / here, 1.)
                                                  : made.count * Min(bytes, kLongestNumber);
  }
  return made;
}

}  // namespace dpmix::pg
