#include "pg/citus/shard_aggregates.hpp"

#include "pg/border/guard.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
PG_FUNCTION_INFO_V1(dpmix_shard_state_add);

// Transition functions of dpmix_internal's aggregates.
Datum dpmix_lattice_sum_add(PG_FUNCTION_ARGS);
Datum dpmix_lattice_sum_add_weighed(PG_FUNCTION_ARGS);
Datum dpmix_lattice_sum_add_unit(PG_FUNCTION_ARGS);
Datum dpmix_lattice_squares_add(PG_FUNCTION_ARGS);
Datum dpmix_lattice_squares_add_weighed(PG_FUNCTION_ARGS);
Datum dpmix_lattice_squares_add_unit(PG_FUNCTION_ARGS);
Datum dpmix_numbers_seen_add(PG_FUNCTION_ARGS);
Datum dpmix_cell_counts_add(PG_FUNCTION_ARGS);
Datum dpmix_edge_counts_add(PG_FUNCTION_ARGS);
Datum dpmix_edge_counts_add_weighed(PG_FUNCTION_ARGS);
Datum dpmix_class_moments_add(PG_FUNCTION_ARGS);
Datum dpmix_class_distances_add(PG_FUNCTION_ARGS);
Datum dpmix_class_clusters_add(PG_FUNCTION_ARGS);
Datum dpmix_marginal_counts_add(PG_FUNCTION_ARGS);
Datum dpmix_soft_moments_add(PG_FUNCTION_ARGS);
Datum dpmix_logistic_moments_add(PG_FUNCTION_ARGS);
Datum dpmix_cells_add(PG_FUNCTION_ARGS);
Datum dpmix_pair_counts_add(PG_FUNCTION_ARGS);
Datum dpmix_feature_sample_add(PG_FUNCTION_ARGS);
}

namespace dpmix::pg {
namespace {

constexpr int kMostArguments = 6;

struct ShardAggregate {
  const char* name;
  Oid argument[kMostArguments];  // types; InvalidOid after the last
  StateKind state;
  PGFunction add;
};
// A class, its features, a frame.
#define OF_CLASSES INT4OID, FLOAT8ARRAYOID, FLOAT8ARRAYOID
#define OF_LATTICE FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID
#define UNIT_OF_LATTICE BYTEAOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID
constexpr ShardAggregate kAggregates[] = {
    {"lattice_sum", {OF_LATTICE}, StateKind::sum, dpmix_lattice_sum_add},
    {"lattice_sum", {OF_LATTICE, INT4OID}, StateKind::sum, dpmix_lattice_sum_add_weighed},
    {"lattice_sum", {UNIT_OF_LATTICE, INT4OID}, StateKind::sum, dpmix_lattice_sum_add_unit},
    {"lattice_squares", {OF_LATTICE}, StateKind::squares, dpmix_lattice_squares_add},
    {"lattice_squares",
     {OF_LATTICE, INT4OID},
     StateKind::squares,
     dpmix_lattice_squares_add_weighed},
    {"lattice_squares",
     {UNIT_OF_LATTICE, INT4OID},
     StateKind::squares,
     dpmix_lattice_squares_add_unit},
    {"numbers_seen", {INT4OID, INT4OID}, StateKind::set, dpmix_numbers_seen_add},
    {"cell_counts", {FLOAT8OID, FLOAT8ARRAYOID}, StateKind::counts, dpmix_cell_counts_add},
    {"edge_counts", {FLOAT8OID, FLOAT8ARRAYOID}, StateKind::counts, dpmix_edge_counts_add},
    {"edge_counts",
     {FLOAT8OID, FLOAT8ARRAYOID, INT4OID},
     StateKind::counts,
     dpmix_edge_counts_add_weighed},
    {"class_moments", {OF_CLASSES}, StateKind::moments, dpmix_class_moments_add},
    {"class_distances", {OF_CLASSES}, StateKind::counts, dpmix_class_distances_add},
    {"class_clusters", {OF_CLASSES}, StateKind::counts, dpmix_class_clusters_add},
    {"marginal_counts", {OF_CLASSES}, StateKind::counts, dpmix_marginal_counts_add},
    {"soft_moments", {FLOAT8ARRAYOID, FLOAT8ARRAYOID}, StateKind::moments, dpmix_soft_moments_add},
    {"logistic_moments", {OF_CLASSES}, StateKind::moments, dpmix_logistic_moments_add},
    {"cells", {FLOAT8ARRAYOID, FLOAT8ARRAYOID}, StateKind::counts, dpmix_cells_add},
    {"pair_counts", {FLOAT8ARRAYOID, FLOAT8ARRAYOID}, StateKind::counts, dpmix_pair_counts_add},
    {"feature_sample",
     {FLOAT8ARRAYOID, FLOAT8ARRAYOID},
     StateKind::sample,
     dpmix_feature_sample_add},
};
#undef OF_CLASSES
#undef OF_LATTICE
#undef UNIT_OF_LATTICE

int arguments_of(const ShardAggregate& aggregate) {
  int count = 0;
  while (count < kMostArguments && OidIsValid(aggregate.argument[count])) count++;
  return count;
}

// Sums skip NULLs themselves; PostgreSQL does it for the others.
bool skips_nulls(const ShardAggregate& aggregate) {
  return aggregate.state != StateKind::sum && aggregate.state != StateKind::squares;
}

bool fits(const ShardAggregate& aggregate, const char* name, FunctionCallInfo fcinfo) {
  const int count = arguments_of(aggregate);
  if (strcmp(aggregate.name, name) != 0 || PG_NARGS() != count + 2) return false;
  for (int i = 0; i < count; i++) {
    if (get_fn_expr_argtype(fcinfo->flinfo, i + 1) != aggregate.argument[i]) return false;
  }
  return true;
}

// What a call site adds with: the transition function has a place of its own for what it keeps.
struct Adding {
  const ShardAggregate* aggregate;
  int arguments;
  FmgrInfo function;
};

[[noreturn]] void refuse_form() {
  refuse_argument(
      "there is no such aggregate of shards", NULL,
      "Pass the arguments of one of dpmix's statistics aggregates, of their types, then "
      "its name as a text constant.");
}

Adding* adding_of(FunctionCallInfo fcinfo) {
  const int last = PG_NARGS() - 1;
  if (last < 1 || get_fn_expr_argtype(fcinfo->flinfo, last) != TEXTOID || PG_ARGISNULL(last) ||
      !constant_argument(fcinfo, last)) {
    refuse_form();
  }
  const char* name = TextDatumGetCString(PG_GETARG_DATUM(last));
  for (const ShardAggregate& aggregate : kAggregates) {
    if (!fits(aggregate, name, fcinfo)) continue;
    auto* adding = (Adding*)MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Adding));
    adding->aggregate = &aggregate;
    adding->arguments = arguments_of(aggregate);
    adding->function = *fcinfo->flinfo;
    fcinfo->flinfo->fn_extra = adding;
    return adding;
  }
  refuse_form();
}

}  // namespace

bool has_shard_form(const char* aggregate) {
  for (const ShardAggregate& form : kAggregates) {
    if (strcmp(form.name, aggregate) == 0) return true;
  }
  return false;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" Datum dpmix_shard_state_add(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  auto* adding = (Adding*)fcinfo->flinfo->fn_extra;
  if (adding == NULL) adding = adding_of(fcinfo);
  for (int i = 1; skips_nulls(*adding->aggregate) && i <= adding->arguments; i++) {
    if (PG_ARGISNULL(i)) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  State* state = read_state(PG_GETARG_DATUM(0));
  if (state->is == StateKind::none) {
    fcinfo->args[0].value = PointerGetDatum(blank_state(adding->aggregate->state));
  }
  FmgrInfo* own = fcinfo->flinfo;
  fcinfo->flinfo = &adding->function;
  const Datum result = adding->aggregate->add(fcinfo);
  fcinfo->flinfo = own;
  PG_RETURN_DATUM(result);
}
