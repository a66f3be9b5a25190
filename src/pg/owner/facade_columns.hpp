// The columns of a facade follow those of its table, or of the view that it stands for.
//
// Renamed columns are renamed, new ones are added. A column that was dropped or has another type
// stays, because others may have views on the facade and must not keep the owner from an ALTER
// TABLE; it is marked by its comment, and asking for it is an error.
#pragma once

#include "pg/owner/facades.hpp"

namespace dpmix::pg {

// Event trigger, outside as_catalog_owner(). from, to: the column that the command renamed; NULL:
// none. What cannot be done is said by a WARNING: the command itself never fails.
void follow_columns(const char* from, const char* to);
// The same of a view that has facades, which was made, made anew or had a column renamed.
void follow_view_columns(const char* from, const char* to);

// Those of a record that has another table now.
void follow_facades_of(int64 table_id);

// Marks stale columns, and says on the others what is declared where that is wanted. `role` is who
// comments. Outside as_catalog_owner().
void comment_columns(Oid role, const FacadeView& facade);
// The same on all facades of a table with comments, after its owner declared something. WARNING
// where that fails.
void comment_facades(int64 table_id);
void comment_facades_of_view(Oid view);

}  // namespace dpmix::pg
