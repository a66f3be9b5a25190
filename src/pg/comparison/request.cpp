#include "pg/comparison/request.hpp"

#include <cmath>

#include "core/accounting/decimal.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/ledger/request.hpp"
#include "pg/owner/owned.hpp"
#include "pg/release/parameters.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "utils/json.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// Those of the private functions; the exact one has label and features in place of epsilon and
// delta.
enum Argument { kRelation, kSynthetic, kEpsilon, kDelta, kLabel, kColumns, kBins, kBlocks };
enum ExactArgument { kExactLabel = kSynthetic + 1, kExactColumns, kExactBins };

constexpr int kShownName = 120;  // bytes of the synthetic table's name on record

ArrayType* features_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? NULL : PG_GETARG_ARRAYTYPE_P(n);
}

int bins_argument(FunctionCallInfo fcinfo, int n) {
  if (PG_ARGISNULL(n)) return 0;
  const int bins = PG_GETARG_INT32(n);
  require_range(fcinfo, n, bins, 2, 100, "Leave it out for 10; NULL makes no tables of pairs.");
  return bins;
}

// label, bins: the numbers of these arguments.
void read_columns(FunctionCallInfo fcinfo, CompareCall* call, int label, int bins,
                  ArrayType* features) {
  call->synthetic = PG_GETARG_OID(kSynthetic);
  if (get_rel_name(call->synthetic) == NULL) {
    refuse_argument("the synthetic table does not exist",
                    psprintf("Its oid is %u.", call->synthetic),
                    "Name a table or view that you may read.");
  }
  call->columns = compare_columns(call->table, call->synthetic, features,
                                  name_argument(fcinfo, label), bins_argument(fcinfo, bins));
  call->copy = columns_in(call->synthetic, call->columns);
}

// Epsilon and delta are the decimals that PostgreSQL prints: the noise is for the doubles below.
double mu_of(double epsilon, double delta) {
  return gdp_mu(Decimal::printed(epsilon).lower_double(), Decimal::printed(delta).lower_double());
}

Cost cost_of(const CompareCall* call, double mu) {
  return cost_of_gaussian({call->table->accountant, call->table->order}, mu);
}

// All features by name, whatever they hold.
ModelColumns* named_columns(const CompareColumns* columns) {
  ModelColumns* all = (ModelColumns*)palloc0(sizeof(ModelColumns));
  all->features = label_column(columns);
  all->name = (const char**)palloc(Max(all->features, 1) * sizeof(char*));
  for (int i = 0; i < all->features; i++) all->name[i] = column_name(columns, i);
  if (columns->label != NULL) all->label = columns->label->label;
  return all;
}

}  // namespace

CompareCall* exact_call(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, kSynthetic + 1);
  lock_owned(PG_GETARG_OID(kRelation), AccessShareLock);
  CompareCall* call = (CompareCall*)palloc0(sizeof(CompareCall));
  call->table = open_protected_units(PG_GETARG_OID(kRelation));  // nothing is made private
  read_columns(fcinfo, call, kExactLabel, kExactBins, features_argument(fcinfo, kExactColumns));
  return call;
}

void tell_not_private(const char* function) {
  ereport(NOTICE, (errmsg("the result of %s is exact and NOT PRIVATE", function),
                   errdetail("It is for the table's owner; nothing was charged for it."),
                   errhint("dpmix.compare_private makes one that may be shown.")));
}

CompareCall* private_call(FunctionCallInfo fcinfo, ArrayType* features) {
  require_arguments(fcinfo, kDelta + 1);
  CompareCall* call = (CompareCall*)palloc0(sizeof(CompareCall));
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call->epsilon = guarantee.epsilon;
  call->delta = guarantee.delta;
  call->table = open_protected_units(PG_GETARG_OID(kRelation));
  require_one_row(call->table);
  call->blocks = blocks_argument(fcinfo, kBlocks, call->table);
  read_columns(fcinfo, call, kLabel, kBins,
               features != NULL ? features : features_argument(fcinfo, kColumns));
  require_label(call->table, call->columns->label != NULL ? call->columns->label->label : NULL);
  return call;
}

bool is_classified(const CompareCall* call) {
  return guard([&] { return public_columns(call->columns).classified(); });
}

ComparePrice price_of(const CompareCall* call) {
  return guard([&] {
    const double mu = mu_of(call->epsilon, call->delta);
    return ComparePrice{mu, cost_of(call, mu),
                        plan_comparison(public_columns(call->columns), call->table->adjacency, mu)};
  });
}

Cost cost_at(const CompareCall* call, double epsilon) {
  return cost_of(call, mu_of(epsilon, call->delta));
}

CountNoise count_noise(const ComparisonNoise& noise) {
  constexpr const char *kRight = "rows that a classifier gets right", *kInCell = "rows in a cell";
  for (const CountNoise& count :
       {CountNoise{kRight, noise.tested}, CountNoise{kRight, noise.pairs.right},
        CountNoise{"rows of a class", noise.balance}, CountNoise{"rows", noise.moments.count},
        CountNoise{kInCell, noise.cell}, CountNoise{kInCell, noise.pairs.cell}}) {
    if (count.stddev > 0) return count;
  }
  return {"rows", 0};
}

// sensitivity: how far a neighbour moves one number of that kind; all of them together are mu-GDP.
// Sums and products are in units of half bounds.
const char* parameters_json(const CompareCall* call, const ComparePrice& price) {
  StringInfoData json;
  initStringInfo(&json);
  const ComparisonNoise& noise = price.noise;
  const int numbers = call->columns->numbers != NULL ? call->columns->numbers->features : 1;
  const double step = std::sqrt(numbers) / static_cast<double>(MomentFrame::max_resolution);
  const int change = call->table->adjacency == Adjacency::replace ? 2 : 1;
  appendStringInfo(&json, "{\"mu\": %.9g, \"unit\": \"half bounds\", \"statistics\": [", price.mu);
  const auto append = [&](const char* statistic, int sensitivity, double scale) {
    if (scale != 0) append_statistic(&json, statistic, sensitivity, scale);
  };
  append("right", 1, noise.tested);
  append("right_by_bayes", 1, noise.pairs.right);
  append("class", 1, noise.balance);
  append("cell", 1, noise.cell);
  append("pair_cell", 1, noise.pairs.cell);
  append("count", 1, noise.moments.count);
  append("sum", change, noise.moments.sum * step);
  append("square", 1, noise.moments.square * step * step);
  if (numbers > 1) append("product", change, noise.moments.product * step * step);
  appendStringInfoString(&json, "], \"synthetic\": ");
  const char* name = get_rel_name(call->synthetic);
  StringInfoData quoted;
  initStringInfo(&quoted);
  escape_json(&quoted, name != NULL ? name : "");
  appendStringInfoString(&json, quoted.len <= kShownName ? quoted.data : "null");
  appendStringInfoString(&json, ", ");
  append_columns_json(&json, named_columns(call->columns), (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

}  // namespace dpmix::pg
