// The catalog's tables, and code that runs as their owner.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Runs body as the extension's owner (who owns the catalog) with search_path pg_catalog, inside
// an SPI connection. For reading and writing the catalog; never for a caller's text.
void as_catalog_owner(Action body);
Oid catalog_owner();  // PV004 without the extension
// A table or view of the catalog; InvalidOid while the extension comes or goes.
Oid catalog_table(const char* name);

}  // namespace dpmix::pg
