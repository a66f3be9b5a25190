#include "pg/owner/nesting.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/owner/public_table.hpp"

namespace dpmix::pg {
namespace {

// Charges about a table that is protected no more are about the same rows still; they may be in
// the account of the other one, as where a table became a part of that which took its name.
Statement nested_tables = {
    "WITH RECURSIVE kept AS ("
    "  SELECT b.relation, b.active, b.account FROM dpmix_internal.budgeted_table b "
    "  WHERE EXISTS (SELECT FROM pg_inherits WHERE b.relation IN (inhrelid, inhparent))), "
    "up(relation, active, account, ancestor) AS ("
    "  SELECT k.relation, k.active, k.account, i.inhparent FROM kept k "
    "  JOIN pg_inherits i ON i.inhrelid = k.relation UNION "
    "  SELECT up.relation, up.active, up.account, i.inhparent "
    "  FROM up JOIN pg_inherits i ON i.inhrelid = up.ancestor) "
    "SELECT up.relation::regclass::text, up.ancestor::regclass::text FROM up "
    "JOIN kept k ON k.relation = up.ancestor "
    "WHERE up.active AND k.active OR (up.active OR k.active) AND up.account <> k.account"};

}  // namespace

void refuse_nesting() {
  const char* other;
  if (const char* declared = public_and_protected(&other)) {
    refuse(ErrorCode::query_not_allowed, "a protected table cannot share rows with a public one",
           psprintf("%s is declared public and would share its rows with %s.", declared, other),
           psprintf("Take the declaration back first: SELECT dpmix.undeclare_public(%s).",
                    quote_literal_cstr(declared)));
  }
  if (read_rows(nested_tables) == 0) return;
  const ResultRow row;
  refuse(ErrorCode::query_not_allowed,
         "a protected table cannot become part of another protected table",
         psprintf("%s would share its rows with %s; their budgets would not add up, nor do charges "
                  "of a table that is protected no more.",
                  row.text(1), row.text(2)),
         "Only one table of a tree can ever have a budget.");
}

}  // namespace dpmix::pg
