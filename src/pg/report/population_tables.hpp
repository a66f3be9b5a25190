// The tables of a population, for those who see all of its record.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct PopulationTables {
  int64 account;
  int64* ids;  // those of all records that share its budget
  int tables;
  Oid* relations;  // those that are there, the protected ones first; locked
  int present;
};

// The owner of the population, a superuser, or who owns or audits all of its protected tables.
// PV006: there is none, it has no table, or it is not the caller's to see.
PopulationTables require_seen_population(const char* name);

}  // namespace dpmix::pg
