// What the owner of a view declares of a column that it computes. Columns that the view hands on
// as they are have what is declared of their table.
//
// The record is put into the view's text wherever it is asked (query/read/view_domains.hpp).
#pragma once

#include "pg/owner/owned_column.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

// As open_column(), also of a view over protected tables.
OwnedColumn open_declared_column(FunctionCallInfo fcinfo);
// Of a view that is open as its owner (require_owned_view). Its table_id is 0.
OwnedColumn owned_view_column(Oid view, const char* name);
// The facades of its table or view say what was declared.
void comment_facades_with(const OwnedColumn* column);
// PV005: the view hands it on.
void require_computed(const OwnedColumn* column);
// What it is a column of, as text; NULL: the view computes it.
const char* table_of_view_column(Oid view, AttrNumber column);
// For who owns the view and its tables; false: it is no such view.
bool open_declared_view(Oid relation);

// PV005: a type whose values a text cannot keep within these.
void record_view_bounds(const OwnedColumn* column, double lower, double upper);
void record_view_categories(const OwnedColumn* column, const char* const* texts, int count,
                            const char* other);

struct ViewDeclaration {
  bool declared;
  char *lower, *upper;  // texts in the terms of the column; NULL: categories
  int categories;
  char** category;
};
ViewDeclaration declaration_of(const OwnedColumn* column);

}  // namespace dpmix::pg
