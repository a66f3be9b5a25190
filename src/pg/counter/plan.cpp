#include "pg/counter/plan.hpp"

#include <cmath>

#include "core/counter/factorisation.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/safe/category_number.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr double kRoundUp = 1 + 0x1p-48;

const char* names_in_counters(const char* last) {
  return listed_names([](const Aggregate& row) { return row.in_counters; }, last);
}

[[noreturn]] void refuse_counting(const char* message, const char* hint) {
  refuse(ErrorCode::query_not_allowed, message,
         psprintf("A counter adds up one SELECT over one table with blocks: group keys, %s.",
                  names_in_counters(" and ")),
         hint);
}

// The one table that a counter's text names. Opened as the caller, before anything else is said of
// the text.
const ProtectedTable* counted_table(const Query* query) {
  const QuerySources* sources = open_sources(query);
  const bool one = sources->count == 1 && list_length(query->rtable) == 1;
  if (!one || sources->first == NULL) {
    refuse_counting("a counter is about one protected table", "Name one table in FROM.");
  }
  if (!has_blocks(sources->first->blocks)) {
    refuse_counting(psprintf("table %s has no blocks", sources->first->name),
                    "Its owner protects it with blocks => 'column'.");
  }
  if (sources->first->blocks.listed) {
    refuse_counting("categories do not follow each other as periods do",
                    "Count a table whose blocks are of a date, timestamp or whole number.");
  }
  if (sources->first->blocks.grid.of_months()) {
    refuse_counting("blocks of months differ in length, and a counter goes on by equal steps",
                    "Count a table whose blocks are some days wide.");
  }
  // What is promised over several blocks holds where a release takes somebody as a whole.
  if (sources->first->account != sources->first->id) {
    refuse_counting("a counter of a table of a population is not possible",
                    "Ask dpmix.query for each period.");
  }
  if (any_distributed(sources)) {
    refuse_counting("a counter of a distributed table is not possible",
                    "Ask dpmix.query for each period.");
  }
  return sources->first;
}

Expr* block_column(const QuerySource* source) {
  const AttrNumber column = source->table->blocks.column;
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(source->relation, column, &type, &typmod, &collation);
  return (Expr*)makeVar((int)source->varno, column, type, typmod, collation, 0);
}

// Which blocks are read is the counter's to say.
void refuse_narrow_conditions(const Query* query, const ProtectedTable* table) {
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)query->jointree->quals)) {
    const Node* condition = (const Node*)lfirst(cell);
    if (!IsA(condition, Const) || DatumGetBool(((const Const*)condition)->constvalue)) continue;
    refuse_counting("WHERE of the counter is never true", "Leave the condition out.");
  }
  foreach (cell, columns_of(query->jointree->quals)) {
    if (lfirst_node(Var, cell)->varattno != table->blocks.column) continue;
    refuse_counting("WHERE of a counter has a condition on the block column",
                    "Leave it out: dpmix.counter() tells the totals of windows.");
  }
}

void read_up_to(Query* query, const QuerySource* source, int64 last) {
  const BlockColumn* blocks = &source->table->blocks;
  Expr* end = (Expr*)constant(blocks->type, InvalidOid,
                              value_at_place(blocks->type, blocks->grid.last_of(last)));
  Expr* within = comparison(order_operator(blocks->type, BTLessEqualStrategyNumber),
                            block_column(source), end);
  query->jointree->quals = make_and_qual(query->jointree->quals, (Node*)within);
}

// That what is read is what was meant, and is charged.
void require_blocks_up_to(const CounterPlan& plan, int64 last) {
  const BlocksRead& read = plan.blocks[0];
  if (read.count == 1 && read.range[0] == BlockRange{0, last}) return;
  elog(ERROR, "a counter reads other blocks than it charges");
}

void require_plain(const QueryShape* shape) {
  if (shape->sets != NULL) {
    refuse_counting("GROUPING SETS, ROLLUP or CUBE is not possible in a counter",
                    "GROUP BY all of the keys; dpmix.counter() adds up what is grouped by them.");
  }
  const ReleasedColumns* released = shape->released;
  if (released->having != NULL || released->orders > 0 || released->offset > 0 ||
      released->limit != kAllRows) {
    refuse_counting("HAVING, ORDER BY, LIMIT or OFFSET is not possible in a counter",
                    "Put it into a query of dpmix.counter().");
  }
}

// Rows of a unit are sampled in each block apart: sampled over all of them, rows of one block would
// come and go with those of another, which may weigh more (docs/proofs/counters.md).
const QueryShape* sampled_by_block(const CounterPlan& plan) {
  const BlockColumn& blocks = plan.table->blocks;
  QueryShape* shape = (QueryShape*)palloc(sizeof(QueryShape));
  *shape = *plan.shape;
  shape->joined.adjacency = plan.table->adjacency;
  if (!shape->joined.sampled) return shape;
  Expr* first = (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(blocks.grid.first));
  Expr* width = (Expr*)constant(INT8OID, InvalidOid, Int64GetDatum(blocks.grid.width));
  shape->joined.apart =
      call_builtin(dpmix_function("block_number", {ANYOID, INT8OID, INT8OID}), INT8OID,
                   list_make3(block_column(&plan.scope.sources->source[0]), first, width));
  return shape;
}

void add_column(CounterPlan* plan, const char* name, const ReleasedValue& value) {
  const Aggregate* row = value.aggregate < 0 ? NULL : plan->shape->aggregate[value.aggregate].row;
  if (value.end != ReleasedEnd::answer || row == NULL || !row->in_counters) {
    refuse_counting(psprintf("column \"%s\" is neither %s", name, names_in_counters(" nor ")),
                    "dpmix.counter() tells intervals; different values do not add up.");
  }
  const AggregateParts& parts = plan->statistics->parts[value.aggregate];
  plan->column[plan->columns] = pstrdup(name);
  plan->statistic[plan->columns++] = row->counts() ? parts.count : parts.sum;
}

// The name of each key, by the column that shows it.
const char** read_columns(CounterPlan* plan) {
  const QueryShape* shape = plan->shape;
  const ReleasedColumns* released = shape->released;
  const char** names = (const char**)palloc(sizeof(char*) * (shape->keys + 1));
  for (int k = 0; k < shape->keys; k++) names[k] = psprintf("key%d", k + 1);
  plan->column = (char**)palloc(sizeof(char*) * released->columns);
  plan->statistic = (int*)palloc(sizeof(int) * released->columns);
  for (int i = 0; i < released->columns; i++) {
    const ReleasedColumn& shown = released->column[i];
    if (!IsA(shown.expression, Var)) {
      refuse_counting(psprintf("column \"%s\" is an expression over answers", shown.name),
                      "Compute it from what dpmix.counter() returns.");
    }
    const int place = ((const Var*)shown.expression)->varattno - 1;
    if (place < shape->keys) {
      names[place] = shown.name;
    } else {
      add_column(plan, shown.name, shape->value[place - shape->keys]);
    }
  }
  if (plan->columns == 0) refuse_counting("the counter counts nothing", "Select dp_count(*).");
  return names;
}

char* group_object(const CounterPlan* plan, const char* const* names, int group) {
  StringInfoData object;
  initStringInfo(&object);
  appendStringInfoChar(&object, '{');
  for (int k = 0; k < plan->groups->keys; k++) {
    Oid output;
    bool variable;
    getTypeOutputInfo(plan->groups->key[k].shown_type, &output, &variable);
    if (k > 0) appendStringInfoString(&object, ", ");
    escape_json(&object, names[k]);
    appendStringInfoString(&object, ": ");
    const NullableDatum key = key_of(plan->groups, group, k);
    if (key.isnull) {
      appendStringInfoString(&object, "null");
    } else {
      escape_json(&object, OidOutputFunctionCall(output, key.value));
    }
  }
  appendStringInfoChar(&object, '}');
  return object.data;
}

// Were any of this another one by the next step, sums of both would mean nothing, and blocks that
// paid for the one would be read by the other.
const char* form_of(const CounterPlan* plan) {
  StringInfoData form;
  initStringInfo(&form);
  const BlockColumn& blocks = plan->table->blocks;
  appendStringInfo(&form, "table " INT64_FORMAT " blocks %d " INT64_FORMAT " " INT64_FORMAT,
                   plan->table->id, blocks.column, blocks.grid.first, blocks.grid.width);
  appendStringInfo(&form, " adjacency %d rows %d", (int)plan->shape->joined.adjacency,
                   plan->shape->joined.most);
  for (int i = 0; i < plan->statistics->count; i++) {
    const QueryStatistic& statistic = plan->statistics->statistic[i];
    appendStringInfo(&form, "; %s: %.17g %.17g %.17g %.17g shift %.17g", statistic.text,
                     statistic.lattice.origin, statistic.lattice.step,
                     (double)statistic.lattice.low, (double)statistic.lattice.high,
                     plan->shift[i].l2);
  }
  for (int g = 0; g < plan->groups->count; g++) appendStringInfo(&form, "; %s", plan->group[g]);
  return form.data;
}

}  // namespace

CounterPlan plan_counter(const char* text, ArrayType* params, int64 last) {
  Query* query = analyse_query_text(text, params);
  const ProtectedTable* table = counted_table(query);
  refuse_narrow_conditions(query, table);
  read_up_to(query, &open_sources(query)->source[0], last);
  CounterPlan plan = {};
  static_cast<CheckedQuery&>(plan) = check_query(query, {.counter = true});
  plan.table = plan.scope.sources->first;
  require_blocks_up_to(plan, last);
  require_plain(plan.shape);
  plan.shape = sampled_by_block(plan);
  plan.unit = unit_contribution(plan.shape, plan.groups, std::nullopt, std::nullopt);
  plan.shift = statistic_shifts(plan.shape, plan.unit, plan.groups, plan.statistics, false);
  const char** names = read_columns(&plan);
  plan.group = (char**)palloc(sizeof(char*) * plan.groups->count);
  for (int g = 0; g < plan.groups->count; g++) plan.group[g] = group_object(&plan, names, g);
  plan.form = form_of(&plan);
  return plan;
}

CounterPrice price_counter(const CounterPlan& plan, double epsilon, double delta, int steps) {
  if (plan.table->accountant == Accountant::basic) {
    refuse_counting("accountant basic cannot add up what a counter costs",
                    "Counters need a table that is protected with accountant gdp or renyi.");
  }
  const int count = plan.statistics->count;
  CounterPrice price = {};
  price.noise = (StatisticNoise*)palloc0(sizeof(StatisticNoise) * count);
  StatisticShift* refined = (StatisticShift*)palloc(sizeof(StatisticShift) * count);
  for (int i = 0; i < count; i++) {
    refined[i] = plan.shift[i];
    refined[i].each *= kCounterUnits;
    refined[i].l1 *= kCounterUnits;
    refined[i].l2 *= kCounterUnits;
  }
  guard([&] {
    const std::span<StatisticNoise> noise(price.noise, (std::size_t)count);
    const QueryRequest request = {epsilon, delta, Family::gaussian};
    price.plan = plan_query(request, filter_of(plan.table), {refined, (std::size_t)count}, noise,
                            cached_on_lattice);
    // The weights of a block over all steps have this norm.
    const double norm = std::sqrt(CounterFactorisation(steps).life());
    for (StatisticNoise& each : noise) each.law.scale *= norm * kRoundUp;
  });
  if (!price.plan.has_own) elog(ERROR, "a counter without a cost of its own");
  price.plan.own.lasting = true;
  return price;
}

QueryGroups groups_by_age(const CounterPlan& plan, const int64* from, int ages) {
  const BlockColumn& blocks = plan.table->blocks;
  Datum* bound = (Datum*)palloc(sizeof(Datum) * (ages + 1));
  Datum* number = (Datum*)palloc(sizeof(Datum) * ages);
  for (int i = 0; i < ages; i++) number[i] = Int32GetDatum(i);
  for (int i = 1; i < ages; i++) {
    bound[i - 1] = value_at_place(blocks.type, blocks.grid.first_of(from[i - 1]));
  }
  Expr* column = block_column(&plan.scope.sources->source[0]);
  Expr* age =
      call_builtin(F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY, INT4OID,
                   list_make2(column, category_array(blocks.type, InvalidOid, bound, ages - 1)));
  QueryGroups groups = *plan.groups;
  groups.key = (KeyColumn*)palloc0(sizeof(KeyColumn) * (groups.keys + 1));
  for (int k = 0; k < groups.keys; k++) groups.key[k] = plan.groups->key[k];
  KeyColumn* last = &groups.key[groups.keys++];
  last->expression = age;
  last->type = last->shown_type = INT4OID;
  last->typmod = -1;
  last->categories = ages;
  last->value = last->shown = number;
  if (groups.product != NULL) {
    int64* product = (int64*)palloc(sizeof(int64) * groups.count * ages);
    for (int i = 0; i < groups.count * ages; i++) {
      product[i] = plan.groups->product[i / ages] * ages + i % ages;
    }
    groups.product = product;
  }
  groups.count *= ages;
  groups.scanned *= ages + 1;
  return groups;
}

}  // namespace dpmix::pg
