// Populations: one budget for several tables about the same people (docs/proofs/populations.md).
#pragma once

#include "pg/owner/blocks.hpp"

namespace dpmix::pg {

struct Population {
  int64 id;
  const char* name;
  const char* accountant;
  double order;           // 0 unless `renyi`
  const char* adjacency;  // NULL: its first table says
  Oid unit_type;          // InvalidOid: its first table says
  Oid owner;              // InvalidOid: was dropped
  const char* epsilon;    // the budget
  const char* delta;
  bool weak;       // the owner states that it knows of the weakness
  bool blocks;     // it has a budget for each block of
  BlockGrid grid;  // this, in microseconds
};

// PV006 where there is none of this name; ERRCODE_INSUFFICIENT_PRIVILEGE unless the current user
// has the rights of its owner.
Population* open_population(const char* name);
// The same; and the table's owner has to have these rights too, unless a superuser acts.
Population* open_population_for(const char* name, Oid relation);
// Records a budget with its reason; refused as open_population() does, or PV005.
void set_population_budget(const char* name, double epsilon, double delta, const char* reason,
                           bool weak);

struct Member {  // a table, locked, with a record in the catalog
  int64 id;
  Oid relation;
  const char* name;
  const char* adjacency;
  const char* accountant;
  double order;
  const char* privacy_unit;  // NULL: a row, or
  bool linked;               // through a link to a table of the population
  bool blocks;               // a column puts its rows into blocks
};
// Puts a table that has an account of its own, with its charges, into a population, for ever. As
// the catalog's owner. PV005 where their terms differ; PV001 where the charges of both are more
// than the population's budget allows. Keeps both locked.
void enter_population(const Member& member, const char* population);
// The blocks of a table are those of its population. PV005: that has none, or others than are
// declared; the column cannot be in them.
void take_blocks(const Population* population, Oid relation, BlockDeclaration* declaration);

}  // namespace dpmix::pg
