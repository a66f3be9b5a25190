// What protect() declares about a link: through which table, and which key of it, a row belongs to
// a unit.
#pragma once

#include "pg/catalog/unit_link.hpp"

namespace dpmix::pg {

struct LinkDeclaration {
  Oid target;  // InvalidOid: the table has no link
  int columns, target_columns;
  char** name;
  char** target_name;  // NULL: the target's primary key
  int64 record;        // the target's
  UnitLink read;       // what these say
};

// unit_through, link and target_key: this argument of protect() and the next two.
LinkDeclaration link_arguments(FunctionCallInfo fcinfo, int n);
// PV005. With the table locked; locks the target.
void require_link_declaration(Oid relation, const char* privacy_unit, const char* population,
                              LinkDeclaration* declaration);
// What is on record, and what was declared now.
bool is_same_link(const LinkDeclaration& declaration, const LinkTerms* terms);
// The link as arguments of protect(); terms NULL: "".
const char* printed_link(const LinkTerms* terms);
// Records the link of a table whose record is in its population, whose lock is held; PV005 where
// links would lead round. Inside as_catalog_owner().
void record_link(int64 table_id, const LinkDeclaration& declaration);

}  // namespace dpmix::pg
