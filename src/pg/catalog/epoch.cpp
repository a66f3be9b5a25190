#include "pg/catalog/epoch.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_announce_change);
}

namespace dpmix::pg {
namespace {

constexpr const char* kTables[] = {"protected_table", "population",   "budget_change", "access",
                                   "facade",          "block_column", "view_column"};
// Who a role is, whose rights it has (also as owner of the database), what a schema is called.
constexpr int kCaches[] = {AUTHOID, AUTHMEMMEMROLE, DATABASEOID, NAMESPACEOID};
constexpr int kTableCount = lengthof(kTables), kMostWatched = 64;
constexpr int kTries = 3;  // attempts to find the tables while their definitions change

enum class Announced { unknown, yes, no };

uint64 epoch = 1;
Announced announced = Announced::unknown;
Oid tables[kTableCount];
Oid watched[kMostWatched];
int watched_count = 0;  // above kMostWatched: every relation is

bool is_watched(Oid relation) {
  if (!OidIsValid(relation) || watched_count > kMostWatched) return true;
  for (Oid table : tables) {
    if (table == relation) return true;
  }
  for (int i = 0; i < watched_count; i++) {
    if (watched[i] == relation) return true;
  }
  return false;
}

void begin_epoch() {
  epoch++;
  announced = Announced::unknown;
  watched_count = 0;
}

void on_relation(Datum, Oid relation) {
  if (is_watched(relation)) begin_epoch();
}

void on_syscache(Datum, int, uint32) {
  begin_epoch();
}

void listen_once() {
  static bool listening = false;
  if (listening) return;
  CacheRegisterRelcacheCallback(on_relation, (Datum)0);
  for (int cache : kCaches) CacheRegisterSyscacheCallback(cache, on_syscache, (Datum)0);
  listening = true;
}

// Fires for every change of a row, also under session_replication_role = replica. (TRUNCATE makes a
// new file, which PostgreSQL announces itself.)
bool has_announcer(Oid table) {
  Relation rel = try_table_open(table, AccessShareLock);
  if (rel == NULL) return false;
  bool found = false;
  for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++) {
    const Trigger* trigger = &rel->trigdesc->triggers[i];
    found = found || (strcmp(trigger->tgname, "announce") == 0 &&
                      trigger->tgenabled == TRIGGER_FIRES_ALWAYS);
  }
  table_close(rel, AccessShareLock);
  return found;
}

// Watches the tables before it reads, so that what changes meanwhile begins another epoch.
void read_triggers() {
  Oid catalog = get_namespace_oid("dpmix", true);
  bool all = OidIsValid(catalog);
  for (int i = 0; i < kTableCount; i++) {
    tables[i] = all ? get_relname_relid(kTables[i], catalog) : InvalidOid;
  }
  uint64 before = epoch;
  for (Oid table : tables) all = all && OidIsValid(table) && has_announcer(table);
  if (epoch == before) announced = all ? Announced::yes : Announced::no;
}

}  // namespace

uint64 catalog_epoch() {
  listen_once();
  AcceptInvalidationMessages();
  for (int i = 0; announced == Announced::unknown && i < kTries; i++) read_triggers();
  return announced == Announced::yes ? epoch : 0;
}

void watch_relation(Oid relation) {
  if (is_watched(relation)) return;
  if (watched_count < kMostWatched) watched[watched_count] = relation;
  watched_count++;
}

}  // namespace dpmix::pg

// Trigger of the catalog's tables.
Datum dpmix_announce_change(PG_FUNCTION_ARGS) {
  if (!CALLED_AS_TRIGGER(fcinfo)) {
    ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                    errmsg("dpmix_internal.announce_change is a trigger's function")));
  }
  CacheInvalidateRelcache(((TriggerData*)fcinfo->context)->tg_relation);
  PG_RETURN_POINTER(NULL);
}
