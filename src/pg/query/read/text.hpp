// The analysed tree of a query's text, as the caller sees it.
//
// Enters: exactly one SELECT and the texts of its $n. Leaves: its Query, with dp_* names resolved
// to schema dpmix (in the raw tree: search_path is never touched), parameters made constants by the
// input functions of their types, and every constant expression of PostgreSQL's own immutable
// functions evaluated. Whatever is raised here is about the caller's own text and constants: no row
// has been read, and no right on the table looked at.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "utils/array.h"
}

namespace dpmix::pg {

// Before it is analysed. PV002, and errors of syntax: as below.
Node* raw_query(const char* text);

// params: texts, or NULL. PV002: not one SELECT, or an unknown dp_* function. PV005: too few or too
// many parameters.
// moving: the same with its constant expressions as they are, where the time of the call decides
// which rows are asked about; else NULL.
Query* analyse_query_text(const char* text, ArrayType* params, const Query** moving = NULL);

// The same with $moment, the last, left as it is, and what is made of it.
Query* analyse_query_of(const char* text, ArrayType* params, int moment);

struct TypedParameters {
  int count;
  const Oid* type;
  const Datum* value;
  const bool* null;
};
// The same where $n have types and values already. Call it under begin_portable_sql() for a text of
// text_of_query().
Query* analyse_query_text(const char* text, const TypedParameters& params,
                          const Query** moving = NULL);

}  // namespace dpmix::pg
