// What the functions of a scan remember of its rows: $1 (internal) of its one run.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct SampledUnits;
struct SeenValues;

struct KeyShares {  // query/statistics/key_shares.hpp
  int count;
  uint64 seed;
};

struct RowMemory {
  SampledUnits* units;  // NULL: it does not sample them
  SeenValues* seen;     // NULL: it counts no different values
  KeyShares shares;     // shares of keys that are found
  int share;            // the one at work
};

inline Param* memory_parameter() {
  Param* memory = makeNode(Param);
  memory->paramkind = PARAM_EXTERN;
  memory->paramid = 1;
  memory->paramtype = INTERNALOID;
  memory->paramtypmod = -1;
  memory->location = -1;
  return memory;
}

}  // namespace dpmix::pg
