// The settings of a release process: its own, whatever the caller, his role or the database set.
// How rows are read and how much memory that takes follows from them and from public sizes alone.
#pragma once

#include "pg/border/settings.hpp"

namespace dpmix::pg {

// Nothing is counted, printed or logged of a scan, in whatever process: by PostgreSQL, and by
// extensions where they are loaded.
inline constexpr Setting kUnrecorded[] = {
    {"track_counts", "off"},
    {"track_functions", "none"},
    {"track_io_timing", "off"},
    {"track_wal_io_timing", "off"},
    {"debug_print_parse", "off"},
    {"debug_print_rewritten", "off"},
    {"debug_print_plan", "off"},
    {"log_parser_stats", "off"},
    {"log_planner_stats", "off"},
    {"log_executor_stats", "off"},
    {"log_statement_stats", "off"},
    {"log_temp_files", "-1"},
    {"trace_sort", "off"},
    {"auto_explain.log_min_duration", "-1"},
    {"pg_stat_statements.track", "none"},
};

// Once, when the process has its database.
void begin_process_settings();

}  // namespace dpmix::pg
