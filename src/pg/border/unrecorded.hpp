// Work that leaves no trace which its caller, or anybody who reads statistics, could look at: what
// it reads depends on rows, or on what other roles did.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/settings.hpp"

namespace dpmix::pg {

// Nothing is counted, printed or logged, in whatever process: by PostgreSQL, and by extensions
// where they are loaded.
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

// Runs work under these settings; buffers and WAL that it used are put back, so that EXPLAIN shows
// none of them, and what pg_stat_io would show is forgotten (io_counts.hpp).
void run_unrecorded(Action work);

// Runs a statement that reads, and releases the locks that it took. Which indexes it locks depends
// on its plan, which depends on everybody's rows, and pg_locks shows them till the end of a
// transaction.
void without_locks(Action statement);

}  // namespace dpmix::pg
