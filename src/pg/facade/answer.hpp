// The call of dpmix_internal.answer as EXPLAIN sees it.
#pragma once

#include "pg/facade/settings.hpp"

namespace dpmix::pg {

enum class AnswerMode {
  aggregates,
  values,           // keys alone: combinations of public values are free
  filtered_values,  // keys alone, of some rows
};

// What it would cost, without making it: lines for people. The argument's values are in fcinfo.
// all_shown: why dpmix.suppress hides none of its cells; NULL: it does.
List* explained_answer(FunctionCallInfo fcinfo, const char* all_shown);

}  // namespace dpmix::pg
