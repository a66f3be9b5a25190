#include "pg/report/population_tables.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/report/seen_table.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "utils/acl.h"
}

namespace dpmix::pg {
namespace {

Statement population = {
    "SELECT q.id, r.oid FROM dpmix.population q "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = q.owner WHERE q.name = $1"};

Statement tables_of = {
    "SELECT p.id, t.relation::oid, coalesce(t.active, false) FROM dpmix.protected_table p "
    "LEFT JOIN dpmix_internal.known_table t ON t.id = p.id WHERE p.account = $1 "
    "ORDER BY coalesce(t.active, false) DESC, p.id"};

struct Found {
  PopulationTables tables;
  Oid owner;
  bool* active;  // for each table that is there
};

Found find_population(const char* name) {
  Found found = {};
  as_catalog_owner([&] {
    if (read_rows(population, {name_value(name)}) == 0) return;
    found.tables.account = ResultRow{}.int8(1);
    found.owner = ResultRow{}.oid(2);
    const uint64 count = read_rows(tables_of, {found.tables.account});
    found.tables.ids = (int64*)SPI_palloc(sizeof(int64) * (count + 1));
    found.tables.relations = (Oid*)SPI_palloc(sizeof(Oid) * (count + 1));
    found.active = (bool*)SPI_palloc(sizeof(bool) * (count + 1));
    for (uint64 i = 0; i < count; i++) {
      const ResultRow row = {i};
      found.tables.ids[found.tables.tables++] = row.int8(1);
      if (row.is_null(2)) continue;
      found.active[found.tables.present] = row.truth(3);
      found.tables.relations[found.tables.present++] = row.oid(2);
    }
  });
  return found;
}

bool sees_all(const Found& found) {
  if (superuser()) return true;
  if (OidIsValid(found.owner) && has_privs_of_role(GetUserId(), found.owner)) return true;
  bool any = false;
  for (int i = 0; i < found.tables.present; i++) {
    if (!found.active[i]) continue;
    if (!audits(found.tables.relations[i])) return false;
    any = true;
  }
  return any;
}

bool is_the_same(const PopulationTables& a, const PopulationTables& b) {
  return a.account == b.account && a.present == b.present &&
         memcmp(a.relations, b.relations, sizeof(Oid) * a.present) == 0;
}

[[noreturn]] void refuse_population(const char* name) {
  refuse(ErrorCode::not_protected,
         psprintf("there is no report of a population \"%s\" for you", name),
         "There is none of this name, it has no table, or you neither own it nor own or audit all "
         "of its protected tables.",
         "dpmix.populations lists those that you see.");
}

}  // namespace

PopulationTables require_seen_population(const char* name) {
  Found found = find_population(name);
  for (;;) {
    if (found.tables.present == 0 || !sees_all(found)) refuse_population(name);
    for (int i = 0; i < found.tables.present; i++) {
      LockRelationOid(found.tables.relations[i], AccessShareLock);
    }
    const Found again = find_population(name);  // read again, now that they are locked
    if (is_the_same(found.tables, again.tables) && sees_all(again)) return again.tables;
    found = again;
  }
}

}  // namespace dpmix::pg
