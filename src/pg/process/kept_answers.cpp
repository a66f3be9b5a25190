#include "pg/process/kept_answers.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "access/xact.h"
}

namespace dpmix::pg {
namespace {

TimestampTz statement = 0;  // when the one began that had the last answer
bool all_kept = false;      // whether all of its answers are

emit_log_hook_type next_hook = NULL;

bool is_own(const ErrorData* error) {
  return ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
         ERRCODE_TO_CATEGORY(sqlstate(ErrorCode::invalid_parameter));
}

// Where the server's log takes no errors (log_min_messages), PostgreSQL does not call us.
void hint_at_kept(ErrorData* error) {
  if (error->elevel == ERROR && all_kept && statement == GetCurrentStatementStartTimestamp() &&
      !is_own(error)) {
    constexpr const char* hint =
        "What this statement was charged for is kept: asked for again, it is free.";
    error->hint = error->hint == NULL ? pstrdup(hint) : psprintf("%s %s", error->hint, hint);
  }
  if (next_hook != NULL) next_hook(error);
}

}  // namespace

void kept_answers_init() {
  next_hook = emit_log_hook;
  emit_log_hook = hint_at_kept;
}

void note_answer(bool kept) {
  const TimestampTz now = GetCurrentStatementStartTimestamp();
  all_kept = kept && (all_kept || statement != now);
  statement = now;
}

}  // namespace dpmix::pg
