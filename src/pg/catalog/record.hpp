// What a role reads of the record: views of dpmix_internal that nobody may read, run as the
// catalog's owner for that role (dpmix_internal.viewer()), unrecorded, and by indexes from its own
// roles and tables on. So neither a plan nor a counter nor a file shows anything of other roles'.
#pragma once

#include <initializer_list>

#include "pg/border/callable.hpp"
#include "pg/border/value.hpp"

namespace dpmix::pg {

// Whose record is read: the role that called the function which reads it.
Oid record_viewer();
// Runs body like as_catalog_owner() does, for the current user as viewer.
void as_viewer(Action body);

// The result of a function that returns rows: those of sql, one SELECT with parameters $1, $2, ...,
// which are constants when it is planned. Without any it is planned once per process. As of the
// snapshot of the statement that calls the function. Returns (Datum)0.
Datum record_rows(FunctionCallInfo fcinfo, const char* sql,
                  std::initializer_list<Value> arguments = {});

}  // namespace dpmix::pg
