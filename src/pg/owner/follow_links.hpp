// Links follow what becomes of their columns and targets. All inside as_catalog_owner().
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Event trigger: a column has another name, of a linked table or of a target.
void rename_link_columns(const char* from, const char* to);
// Nothing is found through this record's table any more: it was dropped. Says whose rows are
// nobody's now.
void end_links(int64 record);
// The record's table is not protected, or not under its name, for some time: the same is said.
void warn_of_links(int64 record);

// Another table has the record, with the columns that its link and links to it name: they lead on.
void attach_links(int64 record);

// For a database where the identifiers of tables and columns may be others. If those of tables are,
// call before tables are adopted: a target that nobody knows stays unknown.
void end_vacant_links();
// Call after tables are adopted: finds targets, unless same_tables, and columns again.
void adopt_links(bool same_tables);

}  // namespace dpmix::pg
