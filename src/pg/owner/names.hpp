// Records belong to names, and while a table has one, to its owner. What follows tables that leave
// their name or come back. All inside as_catalog_owner().
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Event triggers, after a command that gave a table, or a schema, another name: records of tables
// that left are vacant now, as a NOTICE says. What takes a vacant name: arrivals.hpp.
void follow_table_name(const char* from);
void follow_schema_name(const char* from, const char* to);
// A partition or child left: its rows stay on the record of the tree, as a WARNING says.
void follow_parting(Oid parent, Oid part);
// The record of a table that was given away is its new owner's. Also before tables are dropped:
// REASSIGN OWNED fires no trigger.
void follow_owners();
// Names where no trigger could see them, while identifiers are still the ledger's own.
void follow_unseen_names();
// Departed tables in a restored database, by name.
void adopt_departed_tables();
// Departed tables that the command dropped.
void forget_departed_tables();

// The record, not of this account, that a table left; NULL: there is none.
const char* record_departed_from(Oid relation, int64 account);
// The table has its record again: it is departed no more.
void settle_table(int64 record, Oid relation);
// A record with an account of its own, and the names that share it, count in another account from
// now on: a population's, at its order, or a record's, whose order is theirs.
void move_account(int64 record, int64 account);
// What was stated of a record's columns and roles was about another table.
void forget_declarations(int64 record);
// Grants and auditors alone: who protects the table again decides afresh who may ask and look.
void forget_roles(int64 record);

}  // namespace dpmix::pg
