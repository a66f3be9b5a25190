// Who can read a table's rows without dpmix.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Roles but the owner with a privilege that shows rows (SELECT, of a column too; TRIGGER, whose
// functions see them; REFERENCES, whose checks find them), on the table or a partition; and who
// gets one on the owner's next tables there, by default. Sentences, and the statements that end it;
// NULL: none.
struct Readers {
  const char* selecting;  // who has SELECT: "a, b"
  const char *now, *revoke;
  const char *next, *revoke_default;
};

// Inside as_catalog_owner(), in the memory of SPI's caller.
Readers readers_of(Oid relation);
// WARNINGs that say so.
void warn_of_readers(const char* table, const Readers& readers);
// PV005 where there are any.
void require_no_readers(const char* table, const Readers& readers);

}  // namespace dpmix::pg
