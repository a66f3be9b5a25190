// What a refusal quotes of a text that the caller passed: its first bytes, no character cut in two.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace dpmix::pg {

inline const char* shown(const char* text) {
  constexpr int bytes = 64;
  return pnstrdup(text, pg_mbcliplen(text, strlen(text), bytes));
}

}  // namespace dpmix::pg
