// A release as its call is written: one SELECT of one function of dpmix that makes a release.
#pragma once

#include "core/release/kinds.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct ReleaseCall {
  const ReleaseKind* kind;
  FuncExpr* call;          // all arguments in their places, as constants; NULL: the text is a query
  const Query* statement;  // that it is written in
};

// A text over tables is a query of the language, and no call; it is not looked at. The text is
// analysed as the caller's own, and nobody's code runs. PV005: a call of something else, arguments
// that are no constants.
ReleaseCall read_call(const char* text);

// The call of a release that an analysed statement is, if it is nothing but that.
struct WrittenCall {
  const ReleaseKind* kind;  // NULL: it is none
  const FuncExpr* call;
};
WrittenCall release_in(const Query* query);

// Puts named arguments and defaults in their places, as constants. The number of the first argument
// that is none; 0: all are.
int complete_call(FuncExpr* call);

}  // namespace dpmix::pg
