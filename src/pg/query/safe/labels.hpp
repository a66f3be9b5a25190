// The labels of an enum type: public, as its type is, and all values that a column of it can have.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct EnumLabels {  // in their order
  int count;
  Datum* value;
  const char** text;
};
EnumLabels labels_of(Oid type);

}  // namespace dpmix::pg
