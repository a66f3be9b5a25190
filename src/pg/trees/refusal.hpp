// PV002: a construct that may not stand in the text of a private query.
#pragma once

#include "pg/border/guard.hpp"

namespace dpmix::pg {

constexpr const char* kOuterQuery =
    "Put it into the outer query: SELECT ... FROM dpmix.query(...) AS t(...).";
constexpr const char* kTables =
    "Name tables in FROM: protected ones, and public ones (dpmix.declare_public).";

// construct: with its verb, as in "a window function is"; instead: what to write.
[[noreturn]] inline void refuse_construct(const char* construct, const char* instead) {
  refuse(ErrorCode::query_not_allowed, psprintf("%s not allowed on a protected table", construct),
         "A private query is one SELECT that joins, filters and groups rows by expressions that "
         "cannot fail, and returns group keys, dp_* aggregates and what is made of them; "
         "docs/guide/query.md describes the language.",
         instead);
}

}  // namespace dpmix::pg
