// Rules between the columns of a protected table, as its owner declared them.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

struct ColumnRule {  // in the caller's memory
  const char* column;
  const char* at_least;  // NULL: none
  int parts;
  char** sum_of;
  double units;              // of a model's sum: parts of 1 that it is rounded to
  const char* present_with;  // NULL: none
};

struct ColumnRules {
  int count;
  ColumnRule* rule;
};

// Of rows that a text makes there are none.
ColumnRules column_rules(const ProtectedTable* table);
// As people read them: "discharged >= admitted", "total = a + b", "total where b".
const char* order_text(const ColumnRule& rule);
const char* sum_text(const ColumnRule& rule);
const char* presence_text(const ColumnRule& rule);

}  // namespace dpmix::pg
