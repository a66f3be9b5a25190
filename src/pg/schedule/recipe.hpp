// The recipe of a schedule: a release's arguments by name, as jsonb. Names and types are those of
// the functions that make the release.
#pragma once

#include "core/release/kinds.hpp"
#include "pg/schedule/keys.hpp"

extern "C" {
#include "nodes/primnodes.h"
#include "utils/jsonb.h"
}

namespace dpmix::pg {

// Of a kind that can be scheduled; PV005 for any other word.
const ReleaseKind* schedule_kind_of(const char* word);

struct Recipe {
  static constexpr int kMaxArguments = 16;
  const ReleaseKind* kind;
  RecipeForm form;
  int arguments;  // those that are given
  const char* name[kMaxArguments];
  Oid type[kMaxArguments];
  Datum value[kMaxArguments];
  const char* relation;  // as it was written; NULL: of a query, or of a source
  const char* into;      // of those that make rows
};

// PV005: an unknown or missing key, or a value of another type. NULL stands for left out.
Recipe* read_recipe(const ReleaseKind* kind, Jsonb* spec);

// NULL: left out.
const Datum* argument_of(const Recipe* recipe, const char* name);

// "name => $n, ..." of all arguments, numbered from first.
char* argument_list(const Recipe* recipe, int first);

// A value of the spec as the name of a table; PV005 for what is none.
RangeVar* table_name(const char* key, const char* text);

// The relation now, by the search_path now; ERRCODE_UNDEFINED_TABLE.
Oid relation_of(const Recipe* recipe);

}  // namespace dpmix::pg
