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
    {"constraint_exclusion", "partition"},
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
