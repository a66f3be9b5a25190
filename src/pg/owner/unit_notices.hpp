// What protect() says aloud about the units that are promised something.
#pragma once

#include "pg/owner/links.hpp"

namespace dpmix::pg {

struct ProtectedUnits {
  Oid relation;
  const char* name;          // the table's, qualified and quoted
  const char* privacy_unit;  // NULL: a row, or found through the link
  const char* label;         // NULL: there is none
  const char* block_column;  // NULL: the table has one budget
  bool population_blocks;    // its population has a budget for each block
  const LinkDeclaration& link;
};

void notice_units(const ProtectedUnits& units);

}  // namespace dpmix::pg
