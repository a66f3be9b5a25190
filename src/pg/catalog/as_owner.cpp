#include "pg/catalog/as_owner.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

Oid catalog_table(const char* name) {
  const Oid schema = get_namespace_oid("dpmix", true);
  return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

Oid catalog_owner() {
  const Oid owner = relation_owner(catalog_table("protected_table"));
  if (!OidIsValid(owner)) {
    refuse(ErrorCode::ledger_unavailable, "the privacy catalog is missing in this database",
           "There is no table dpmix.protected_table.", "Run CREATE EXTENSION dpmix.");
  }
  return owner;
}

void as_catalog_owner(Action body) {
  const Oid owner = catalog_owner();
  under_own_path([&] {
    run_as(owner, true, [&] {
      SPI_connect();
      body();
      SPI_finish();
    });
  });
}

}  // namespace dpmix::pg
