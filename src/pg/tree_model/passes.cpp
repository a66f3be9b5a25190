#include "pg/tree_model/passes.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/state_of_scan.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {

// Room for counts, in multiples of them: as workers send them, as they are put together, and as
// they are read.
constexpr double kStates = 4;

struct TreePasses {
  SilentScan* scan;
  int begun, shards;
  ReadRows rows;
  MemoryContext context;  // that of the running scan: what it allocates goes when it is over
};

TreePasses* plan_passes(const ProtectedTable* table, const ReadRows& rows, const BlocksRead& blocks,
                        const ModelColumns* columns) {
  TreePasses* passes = (TreePasses*)palloc0(sizeof(TreePasses));
  passes->shards = shards_of(table->relation);
  passes->rows = rows;
  passes->scan = plan_scan_of(table, rows, blocks, counts_sql(table, columns), FLOAT8ARRAYOID);
  passes->context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix pass", ALLOCSET_DEFAULT_SIZES);
  return passes;
}

// A table without rows has no state.
std::vector<std::int64_t> run_pass(TreePasses* passes, const MarginalTables& tables) {
  const std::vector<double> packed = tables.pack();
  const double* numbers = packed.data();
  const int size = (int)packed.size();
  std::vector<std::int64_t> counts((Size)tables.cells(), 0);
  postgres([&] {
    passes->begun++;
    DPMIX_FAULT(psprintf("tree.pass%d", passes->begun));
    const double state = sizeof(int64) * (double)tables.cells();
    need_more_memory(kStates * state + bytes_of_states(passes->shards, 1, state));
  });
  for (int share = 0; share < shares_of(passes->rows); share++) {
    const CountState* counted = NULL;
    postgres([&] {
      counted = read_count_state(state_of_scan(passes->scan, passes->context, numbers, size,
                                               [&] { begin_share(passes->rows, share); }));
    });
    const std::vector<std::int64_t> of_share = counts_of(counted).counts;
    for (Size i = 0; i < of_share.size(); i++) counts[i] += of_share[i];
    postgres([&] { MemoryContextReset(passes->context); });
  }
  return counts;
}

}  // namespace dpmix::pg
