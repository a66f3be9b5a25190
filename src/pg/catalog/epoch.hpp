// How long something read from the catalog may be believed without reading it again.
//
// The rows of dpmix.protected_table, population, budget_change, access, facade and block_column
// announce their changes as PostgreSQL announces those of a definition (trigger `announce`): by an
// invalidation message, sent when the change commits and undone with it. So a reader that takes in
// the messages first misses no change whose COMMIT has returned. Where somebody disabled a trigger
// nothing is believed twice. The argument is in docs/proofs/ledger.md.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Takes in all messages, then returns a number that stays the same while nothing changed in the
// rows of those tables, in roles, memberships, schemas, databases, or in a watched relation. 0:
// nobody would tell. In a transaction.
uint64 catalog_epoch();
// Watches a relation until the epoch ends: a change of its definition begins a new one.
void watch_relation(Oid relation);

}  // namespace dpmix::pg
