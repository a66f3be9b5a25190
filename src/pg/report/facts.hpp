// What the owner's page lists of a table, read from the catalog.
#pragma once

#include "core/report/facts.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/ledger/sums.hpp"
#include "pg/report/blocks.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace dpmix::pg {

struct FactsRead {
  const CatalogRow* row;   // for a population, that of one of its tables
  const char* population;  // NULL: the page is of one table
  const int64* ids;        // those of the tables that it is about
  const Oid* relations;    // those of them that are there
  int tables, present;
  int newest;         // how many charges are listed one by one
  TimestampTz made;   // what the page says
  TimestampTz until;  // charges and budgets up to here; DT_NOEND: all
  ReportFacts facts;  // found, in the memory of SPI's caller
  Sums sums;          // those of all charges; not for a table with blocks
  DeclaredBlocks blocks;
  int64 end;                    // charges from this id on are left out
  const char *epsilon, *delta;  // the budget then
};

// Lists, header and sums as the catalog's owner; adoptions of the ledger as the caller, who may see
// some.
void list_facts(FactsRead* read);

}  // namespace dpmix::pg
