#include "pg/mixture/passes.hpp"

#include <stdexcept>

#include "pg/border/fault.hpp"
#include "pg/mixture/store.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "parser/parse_func.h"
}

namespace dpmix::pg {
namespace {

// From an aggregate's state to plain values, inside guard().
using Reader = PassStatistics (*)(Datum state, const Pass& pass);

PassStatistics read_moments(Datum state, const Pass&) {
  std::optional<ClassMoments> moments;
  postgres([&] { moments = read_moment_state(state); });
  return moments->totals();
}

PassStatistics read_counts(Datum state, const Pass&) {
  const CountState* counts = NULL;
  postgres([&] { counts = read_count_state(state); });
  return counts_of(counts);
}

PassStatistics read_sample(Datum state, const Pass& pass) {
  std::optional<FeatureSample> sample;
  postgres([&] { sample = read_sample_state(state); });
  return sample->rows().points(pass.frame.step(0));
}

// What the aggregate looks at besides x and the frame.
enum class First { nothing, label_class, class_0 };

// <aggregate>([class,] x, frame).
struct PassQuery {
  PassKind kind;
  const char* aggregate;
  First first;
  Reader read;
};
constexpr PassQuery kQueries[] = {
    {PassKind::class_moments, "class_moments", First::label_class, read_moments},
    {PassKind::class_distances, "class_distances", First::label_class, read_counts},
    {PassKind::class_clusters, "class_clusters", First::label_class, read_counts},
    {PassKind::soft_moments, "soft_moments", First::nothing, read_moments},
    {PassKind::cells, "cells", First::nothing, read_counts},
    {PassKind::feature_sample, "feature_sample", First::nothing, read_sample},
    {PassKind::row_moments, "class_moments", First::class_0, read_moments},
    {PassKind::row_distances, "class_distances", First::class_0, read_counts},
};
static_assert(lengthof(kQueries) == pass_kinds);

const PassQuery* query_of(PassKind kind) {
  for (const PassQuery& query : kQueries) {
    if (query.kind == kind) return &query;
  }
  elog(ERROR, "no statistics of kind %d", (int)kind);
}

const char* scan_sql(const ProtectedTable* table, const ModelColumns* columns,
                     const PassQuery* query) {
  StringInfoData sql;
  initStringInfo(&sql);
  const bool sharded = computes_on_shards(table->relation);
  appendStringInfoString(&sql, "SELECT ");
  begin_statistic(&sql, query->aggregate, sharded);
  if (query->first == First::label_class) append_class(&sql, columns);
  if (query->first == First::class_0) appendStringInfoChar(&sql, '0');
  if (query->first != First::nothing) appendStringInfoString(&sql, ", ");
  append_features(&sql, columns);
  appendStringInfoString(&sql, ", $1");
  end_statistic(&sql, query->aggregate, sharded);
  appendStringInfo(&sql, " FROM %s AS r", table->name);
  return sql.data;
}

struct PassScan {
  const PassQuery* query;
  SilentScan* scan;
};

// Keeps the one row's only column beyond the scan.
struct Kept {
  MemoryContext context;
  Datum state;
};

void keep(const Datum* values, const bool*, void* arg) {
  Kept* kept = (Kept*)arg;
  MemoryContext outer = MemoryContextSwitchTo(kept->context);
  kept->state = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[0]));
  MemoryContextSwitchTo(outer);
}

}  // namespace

struct GmmPasses {
  MemoryContext context;  // of the pass that runs: what it allocates goes when it is over
  int begun;
  int kinds;
  PassScan scans[lengthof(kQueries)];
};

static const PassScan* scan_of(const GmmPasses* passes, PassKind kind) {
  for (int i = 0; i < passes->kinds; i++) {
    if (passes->scans[i].query->kind == kind) return &passes->scans[i];
  }
  return NULL;
}

bool has_aggregates(const PassKind* kinds, int count) {
  for (int i = 0; i < count; i++) {
    List* qualified = list_make2(makeString(pstrdup("dpmix_internal")),
                                 makeString(pstrdup(query_of(kinds[i])->aggregate)));
    if (!OidIsValid(LookupFuncName(qualified, -1, NULL, true))) return false;
  }
  return true;
}

GmmPasses* plan_passes(const ProtectedTable* table, const ModelColumns* columns,
                       const PassKind* kinds, int count) {
  GmmPasses* passes = (GmmPasses*)palloc0(sizeof(GmmPasses));
  passes->context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix pass", ALLOCSET_DEFAULT_SIZES);
  for (int i = 0; i < count; i++) {
    if (scan_of(passes, kinds[i]) != NULL) continue;
    PassScan* scan = &passes->scans[passes->kinds++];
    scan->query = query_of(kinds[i]);
    scan->scan = plan_scan(scan_sql(table, columns, scan->query), table->relation, table->owner,
                           FLOAT8ARRAYOID);
  }
  return passes;
}

PassStatistics run_pass(GmmPasses* passes, const Pass& pass) {
  const std::vector<double> packed = pass.pack();
  const double* numbers = packed.data();
  const int size = (int)packed.size();
  const PassScan* scan = scan_of(passes, pass.kind);
  if (scan == NULL) throw std::logic_error("a pass of a kind that was not announced");
  Kept kept = {passes->context, (Datum)0};
  postgres([&] {
    passes->begun++;
    DPMIX_FAULT(psprintf("gmm.pass%d", passes->begun));
    MemoryContext outer = MemoryContextSwitchTo(passes->context);
    run_scan(scan->scan, keep, &kept, float8_array(numbers, 1, &size));
    MemoryContextSwitchTo(outer);
  });
  PassStatistics statistics = scan->query->read(kept.state, pass);
  postgres([&] { MemoryContextReset(passes->context); });
  return statistics;
}

}  // namespace dpmix::pg
