// What protect() states, and how it goes on record.
#pragma once

#include "pg/catalog/readers.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/budget.hpp"
#include "pg/owner/links.hpp"

namespace dpmix::pg {

struct Protection {
  int64 id;  // the record's, once there is one
  Oid relation;
  const char* name;
  double epsilon, delta;
  bool weak;  // its owner knows what warn_of_weakness() says
  const char* adjacency;
  const char* accountant;
  double order;              // 0 unless `renyi`
  const char* privacy_unit;  // NULL: a row
  int max_rows_per_unit;
  const char* label;
  BlockDeclaration blocks;
  LinkDeclaration link;
  int64 account;  // that of the record that resumes; 0: there is none
  bool guards_unit, strict;
  bool charged;            // before
  bool stands;             // these are the terms that it is protected on already
  const char* population;  // NULL: a budget of its own
  bool population_blocks;  // which has a budget for each block
};

bool same_text(const char* a, const char* b);

// Inside as_catalog_owner(), with the table locked. PV005, 42501; nothing where the terms stand
// already. Returns who can read the table without dpmix.
Readers record_protection(Protection* protection, const Budget& budget);

}  // namespace dpmix::pg
