#include "pg/mixture/passes.hpp"

#include <stdexcept>

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/value.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/state_of_scan.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/feature_sample.hpp"
#include "pg/stats/moment_state.hpp"

namespace dpmix::pg {
namespace {

// Reads an aggregate's state as plain values, inside guard().
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

// dpmix.<aggregate>([class,] x, frame).
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
                     const PassQuery* query, SeenRow seen) {
  StringInfoData sql;
  initStringInfo(&sql);
  const bool sharded = has_shards(table->relation);
  appendStringInfoString(&sql, "SELECT ");
  begin_statistic(&sql, query->aggregate, sharded);
  if (query->first == First::label_class) append_class(&sql, columns);
  if (query->first == First::class_0) appendStringInfoChar(&sql, '0');
  if (query->first != First::nothing) appendStringInfoString(&sql, ", ");
  if (seen == SeenRow::scores) {
    appendStringInfoString(&sql, "dpmix_internal.code_scores(");
    append_class(&sql, columns);
    appendStringInfoString(&sql, ", ");
    append_features(&sql, columns, Missing::nan);
    appendStringInfoString(&sql, ", $1)");
  } else {
    append_features(&sql, columns);
  }
  appendStringInfoString(&sql, ", $1");
  end_statistic(&sql, query->aggregate, sharded);
  appendStringInfo(&sql, " FROM %s AS r", asked_from(table));
  return sql.data;
}

constexpr double kStates = 4;  // copies

// What the state of a pass takes at most: as workers send it, as it is added up, as it is read.
double state_bytes(const Pass& pass) {
  constexpr double kCounts = 1 << 20;
  const double features = pass.frame.features, numbers = (double)pass.extra.size();
  switch (pass.kind) {
    case PassKind::class_moments:
    case PassKind::row_moments:
    case PassKind::soft_moments: {  // the frame of a component has more numbers than features
      const double classes = (double)pass.frame.classes.size() + numbers / (features + 1);
      return kStates * 8 * classes * (features * features + 20 * features + 32);
    }
    case PassKind::feature_sample:  // a limit comes first
      return kStates * 2 * pass.extra.front() * (4 * features + 32);
    case PassKind::class_distances:
    case PassKind::class_clusters:
    case PassKind::cells:
    case PassKind::row_distances:
      return kStates * (kCounts + 8 * numbers * (double)pass.frame.classes.size());
  }
  return 0;
}

struct PassScan {
  const PassQuery* query;
  SilentScan* scan;
};

}  // namespace

struct GmmPasses {
  int shards;
  MemoryContext context;  // of the pass that runs: what it allocates goes when it is over
  ReadRows rows;
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

GmmPasses* plan_passes(const ProtectedTable* table, const ReadRows& rows, const BlocksRead& blocks,
                       const ModelColumns* columns, const PassKind* kinds, int count,
                       SeenRow seen) {
  GmmPasses* passes = (GmmPasses*)palloc0(sizeof(GmmPasses));
  passes->shards = shards_of(table->relation);
  passes->rows = rows;
  passes->context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix pass", ALLOCSET_DEFAULT_SIZES);
  for (int i = 0; i < count; i++) {
    if (scan_of(passes, kinds[i]) != NULL) continue;
    PassScan* scan = &passes->scans[passes->kinds++];
    scan->query = query_of(kinds[i]);
    scan->scan = plan_scan_of(table, rows, blocks, scan_sql(table, columns, scan->query, seen),
                              FLOAT8ARRAYOID);
  }
  return passes;
}

PassStatistics run_pass(GmmPasses* passes, const Pass& pass, const CodeScores* scores) {
  std::vector<double> packed = pass.pack();
  if (scores != nullptr) {
    const std::vector<double> front = scores->pack();
    packed.insert(packed.begin(), front.begin(), front.end());
  }
  const double* numbers = packed.data();
  const int size = (int)packed.size();
  Datum state = (Datum)0;  // the one row's only column, kept beyond the scan
  const PassScan* scan = scan_of(passes, pass.kind);
  if (scan == NULL) throw std::logic_error("a pass of a kind that was not announced");
  const double needed = state_bytes(pass);
  postgres([&] {
    passes->begun++;
    DPMIX_FAULT(psprintf("gmm.pass%d", passes->begun));
    need_more_memory(needed + bytes_of_states(passes->shards, 1, needed / kStates));
    state = state_of_scan(scan->scan, passes->context, numbers, size,
                          [&] { begin_share(passes->rows, 0); });
  });
  PassStatistics statistics = scan->query->read(state, pass);
  postgres([&] { MemoryContextReset(passes->context); });
  return statistics;
}

}  // namespace dpmix::pg
