// The rows of dpmix.facade, kept in step with their views, and who may see these.
//
// Whoever has access to a table may see its facades: SELECT on the view shows its columns and lets
// a query name it. It gives no right to spend, and no row.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct FacadeView {
  int64 id;  // dpmix.facade.id
  Oid view;
  Oid relation;   // the table, or the view; may be gone, or protected no more
  bool comments;  // wanted on the view's columns
};

struct FacadeViews {
  FacadeView* list;
  uint64 count;
};

// Inside as_catalog_owner(). Only views that are recognised by oid and name; in the memory of SPI's
// caller.
FacadeViews facades_of_table(int64 table_id);
FacadeViews facades_of_view(Oid view);
FacadeViews facades_of_command();  // event trigger: of tables whose columns it may have changed
FacadeViews facades_of_view_command();  // of views, which the facade's owner has the rights of

struct Roles {
  Oid* list;
  uint64 count;
};
// Those that have a grant of a table, or of a view, likewise.
Roles roles_with_access(int64 table_id);
Roles roles_with_access_to_view(Oid view);

// GRANT or REVOKE of SELECT on all facades of a table in their owners' name, with USAGE of their
// schemas; nothing for a role that is gone. A WARNING says what the current user may not grant.
// Outside as_catalog_owner().
void show_facades(const FacadeViews& views, Oid role);
void conceal_facades(const FacadeViews& views, Oid role);

// What event triggers and adopt_ledger() do, inside as_catalog_owner().
void rename_facade_schema(const char* from, const char* to);
void rename_facade(const char* from);  // the command's own view
void forget_facades();                 // those that the command dropped
void adopt_facades();                  // found by name, in a restored database
void let_facades_go(Oid extension);    // they go with the extension, in this command

}  // namespace dpmix::pg
