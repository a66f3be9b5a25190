#include "pg/process/settings.hpp"

#include "pg/border/settings.hpp"

namespace dpmix::pg {
namespace {

constexpr Setting kSettings[] = {
    // What ALTER DATABASE or ALTER SYSTEM set must not end a release, or change what it does.
    {"statement_timeout", "0"},
    {"lock_timeout", "0"},
    {"idle_in_transaction_session_timeout", "0"},
    {"transaction_timeout", "0"},
    {"deadlock_timeout", "20ms"},  // a caller that waits for its own process is soon found out
    {"session_replication_role", "origin"},
    {"default_transaction_deferrable", "off"},
    {"row_security", "off"},
    {"synchronize_seqscans", "off"},  // where a scan begins would tell the next one of it
    // Nothing is counted, printed or logged of what a release does.
    {"track_counts", "off"},
    {"track_functions", "none"},
    {"track_io_timing", "off"},
    {"track_wal_io_timing", "off"},
    {"debug_print_parse", "off"},
    {"debug_print_rewritten", "off"},
    {"debug_print_plan", "off"},
    {"log_min_messages", "error"},
    {"log_min_duration_statement", "-1"},
    {"log_parser_stats", "off"},
    {"log_planner_stats", "off"},
    {"log_executor_stats", "off"},
    {"log_statement_stats", "off"},
    {"log_temp_files", "-1"},
    {"trace_sort", "off"},
    // One way to read a table, chosen by its size.
    {"enable_seqscan", "on"},
    {"enable_indexscan", "off"},
    {"enable_indexonlyscan", "off"},
    {"enable_bitmapscan", "off"},
    {"enable_tidscan", "off"},
    {"enable_hashagg", "on"},
    {"enable_hashjoin", "on"},
    {"enable_nestloop", "off"},
    {"enable_mergejoin", "off"},
    {"enable_sort", "off"},
    {"enable_incremental_sort", "off"},
    {"enable_material", "off"},
    {"enable_memoize", "off"},
    {"enable_gathermerge", "off"},
    {"enable_parallel_hash", "off"},
    {"enable_parallel_append", "on"},
    {"enable_partition_pruning", "off"},
    {"enable_partitionwise_join", "off"},
    {"enable_partitionwise_aggregate", "off"},
    {"enable_async_append", "off"},
    {"enable_presorted_aggregate", "off"},    // since 16
    {"enable_group_by_reordering", "off"},    // since 17
    {"enable_distinct_reordering", "off"},    // since 18
    {"enable_self_join_elimination", "off"},  // since 18
    {"constraint_exclusion", "off"},
    {"seq_page_cost", "1"},
    {"random_page_cost", "4"},
    {"cpu_tuple_cost", "0.01"},
    {"cpu_operator_cost", "0.0025"},
    {"cpu_index_tuple_cost", "0.005"},
    {"parallel_setup_cost", "1000"},
    {"parallel_tuple_cost", "0.1"},
    {"min_parallel_table_scan_size", "8MB"},
    {"parallel_leader_participation", "on"},
    {"effective_cache_size", "4GB"},
    {"default_statistics_target", "100"},
    {"cursor_tuple_fraction", "0.1"},
    {"from_collapse_limit", "8"},
    {"join_collapse_limit", "8"},
    {"geqo", "off"},
    {"plan_cache_mode", "auto"},
    {"jit", "off"},
    {"hash_mem_multiplier", "1"},
    {"max_parallel_maintenance_workers", "0"},
    {"debug_parallel_query", "off"},  // since 16
    {"force_parallel_mode", "off"},   // until 15
    // Extensions that may be loaded into every process.
    {"auto_explain.log_min_duration", "-1"},
    {"pg_stat_statements.track", "none"},
    {"pg_hint_plan.enable_hint", "off"},
};

}  // namespace

void begin_process_settings() {
  for (const Setting& setting : kSettings) {
    if (GetConfigOption(setting.name, true, false) == NULL) continue;
    SetConfigOption(setting.name, setting.value, PGC_SUSET, PGC_S_OVERRIDE);
  }
}

}  // namespace dpmix::pg
