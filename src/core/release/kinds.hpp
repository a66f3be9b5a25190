// The kinds of releases, one row each: what is known of them by name. The rest is their rooms'.
#pragma once

#include <span>
#include <string_view>

namespace dpmix {

struct ReleaseKind {
  std::string_view word;   // in the ledger, of what is stored, of schedules
  std::string_view shown;  // in the owner's report; empty: the word
  // The SQL function in schema dpmix that makes it, of whose arguments a schedule is; empty: none
  // makes it at once.
  std::string_view release;
  std::string_view use;  // a sentence: functions that use what is stored; empty: nothing is
};

std::span<const ReleaseKind> release_kinds();
const ReleaseKind* release_kind_of(std::string_view word);  // nullptr: none

}  // namespace dpmix
