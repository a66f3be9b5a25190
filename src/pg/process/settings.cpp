#include "pg/process/settings.hpp"

#include "pg/border/unrecorded.hpp"

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
    // Only errors are logged, and no hints change plans.
    {"log_min_messages", "error"},
    {"log_min_duration_statement", "-1"},
    {"pg_hint_plan.enable_hint", "off"},
};

void set_if_known(const Setting& setting) {
  if (GetConfigOption(setting.name, true, false) == NULL) return;
  SetConfigOption(setting.name, setting.value, PGC_SUSET, PGC_S_OVERRIDE);
}

}  // namespace

void begin_process_settings() {
  for (const Setting& setting : kSettings) set_if_known(setting);
  for (const Setting& setting : kUnrecorded) set_if_known(setting);
}

}  // namespace dpmix::pg
