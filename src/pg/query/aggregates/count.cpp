// dp_count: of rows, and of values that are not missing.
#include "pg/query/aggregates/counts.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/sums.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

AggregateParts count_of_rows(const AskedStatistics& asked) {
  return {add_count(asked, NULL), -1, -1};
}

AggregateParts count_of_values(const AskedStatistics& asked) {
  return {add_count(asked, safe_counted(asked.scope, (Node*)asked.aggregate->argument)), -1, -1};
}

const Aggregate kRows({.name = "dp_count",
                       .stored = 0,
                       .takes = Takes::rows,
                       .type = INT8OID,
                       .statistics = count_of_rows,
                       .answer = counted,
                       .interval = counted_interval,
                       .form = counted_form,
                       .in_counters = true,
                       .in_cubes = {"count", 1},
                       .plain = {{"count"}},
                       .plain_text = "count"});
const Aggregate kValues({.name = "dp_count",
                         .stored = 1,
                         .takes = Takes::value,
                         .type = INT8OID,
                         .statistics = count_of_values,
                         .answer = counted,
                         .interval = counted_interval,
                         .form = counted_form,
                         .in_counters = true,
                         .in_cubes = {"count", 4},
                         .plain = {{"count"}},
                         .plain_text = "count"});

}  // namespace
}  // namespace dpmix::pg
