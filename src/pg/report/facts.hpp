// What the owner's page lists of a table, read from the catalog.
#pragma once

#include "core/report/facts.hpp"
#include "pg/catalog/catalog_row.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace dpmix::pg {

struct FactsRead {
  const CatalogRow* row;
  int newest;                   // how many charges are listed one by one
  TimestampTz made;             // what the page says
  TimestampTz until;            // charges and budgets up to here; DT_NOEND: all
  ReportFacts facts;            // found, in the memory of SPI's caller
  const char* sum[4];           // of all charges: epsilon, delta, cost, cost_delta
  const char *epsilon, *delta;  // the budget then
};

// Lists, header and sums; a FactsRead, inside as_catalog_owner(). Some time per charge: it reads
// all of the table's once or twice.
void read_facts(void* facts_read);

// What the caller may see beside them: adoptions of the ledger. As the caller.
void read_facts_of_caller(FactsRead* read);

}  // namespace dpmix::pg
