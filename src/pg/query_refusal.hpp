// PV002: a construct that may not stand in the text of a private query.
#pragma once

#include "pg/guard.hpp"

namespace dpmix::pg {

constexpr const char* kOuterQuery =
    "Put it into the outer query: SELECT ... FROM dpmix.query(...) AS t(...).";
constexpr const char* kOneTable = "Name the protected table itself, once, in FROM.";

// construct: with its verb, as in "a window function is"; instead: what to write.
[[noreturn]] inline void refuse_construct(const char* construct, const char* instead) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("%s not allowed on a protected table", construct),
                  errdetail("A private query reads one protected table, filters its rows, groups "
                            "them by declared categories, and returns group keys and dp_* "
                            "aggregates; docs/expressions.md lists what expressions are made of."),
                  errhint("%s", instead)));
  pg_unreachable();
}

}  // namespace dpmix::pg
