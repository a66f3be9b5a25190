#include "pg/owner/unit_updates.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/sysattr.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(dpmix_unit_guard);
}

namespace dpmix::pg {
namespace {

// This and the next one find the record by the table that a trigger fired on: anybody may put the
// trigger function on a table of their own.
Statement columns_of_unit = {
    "SELECT ARRAY(SELECT unnest(p.privacy_unit || p.link || "
    "  ARRAY(SELECT unnest(l.target_key) FROM dpmix.protected_table l "
    "        WHERE l.unit_through = p.id AND l.through_relation = p.relation))) "
    "FROM dpmix.protected_table p WHERE p.relation = $1"};
Statement record_update = {
    "INSERT INTO dpmix.unit_update (table_id) "
    "SELECT id FROM dpmix.protected_table WHERE relation = $1"};
Statement count_updates = {"SELECT count(*) FROM dpmix.unit_update WHERE table_id = $1"};

// Names that come after those of others' triggers: those may change the row before.
constexpr const char *kRecord = "~dpmix unit record", *kGuard = "~dpmix unit guard";

void drop(Oid relation, const char* table, const char* name) {
  if (!OidIsValid(get_trigger_oid(relation, name, true))) return;
  run_text(psprintf("DROP TRIGGER %s ON %s", quote_identifier(name), table), SPI_OK_UTILITY);
}

void create(const char* table, const char* name, const char* event, const char* each) {
  run_text(psprintf("CREATE TRIGGER %s %s ON %s FOR EACH %s EXECUTE FUNCTION "
                    "dpmix_internal.unit_guard()",
                    quote_identifier(name), event, table, each),
           SPI_OK_UTILITY);
  run_text(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", table, quote_identifier(name)),
           SPI_OK_UTILITY);
}

bool names_column(const TriggerData* event, const char* column) {
  if (column == NULL) return false;
  const AttrNumber number = get_attnum(RelationGetRelid(event->tg_relation), column);
  return number > 0 &&
         bms_is_member(number - FirstLowInvalidHeapAttributeNumber, event->tg_updatedcols);
}

void require_kept(const TriggerData* event, AttrNumber column) {
  const TupleDesc columns = RelationGetDescr(event->tg_relation);
  const FormData_pg_attribute* type = TupleDescAttr(columns, column - 1);
  bool was_null, is_null;
  const Datum was = heap_getattr(event->tg_trigtuple, column, columns, &was_null),
              is = heap_getattr(event->tg_newtuple, column, columns, &is_null);
  if (was_null == is_null && (was_null || datum_image_eq(was, is, type->attbyval, type->attlen))) {
    return;
  }
  refuse(ErrorCode::query_not_allowed, "a row cannot come to belong to another privacy unit",
         psprintf("Column \"%s\" of %s says whose row it is, and guard_unit is on.",
                  NameStr(type->attname), RelationGetRelationName(event->tg_relation)),
         "DELETE the row and INSERT another, or protect the table without guard_unit.");
}

void put_on_record(const TriggerData* event) {
  const Oid relation = RelationGetRelid(event->tg_relation);
  as_catalog_owner([&] {
    if (read_rows(columns_of_unit, {relation}) == 0) return;
    int count;
    char** column = ResultRow{}.texts(1, &count);
    bool named = false;
    for (int i = 0; i < count; i++) named = named || names_column(event, column[i]);
    if (named) (void)write_rows(record_update, {relation});
  });
}

}  // namespace

void watch_unit(Oid relation, const char* const* column, int columns, bool guarded) {
  const char* table = qualified_name(relation);
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < columns; i++) {
    appendStringInfo(&list, "%s%s", i == 0 ? "" : ", ", quote_identifier(column[i]));
  }
  run_as(relation_owner(relation), false, [&] {
    SPI_connect();
    drop(relation, table, kRecord);
    drop(relation, table, kGuard);
    // Not of the column alone: PostgreSQL would not let its type be altered any more.
    if (columns > 0) create(table, kRecord, "AFTER UPDATE", "STATEMENT");
    if (guarded) create(table, kGuard, psprintf("BEFORE UPDATE OF %s", list.data), "ROW");
    SPI_finish();
  });
}

int64 unit_updates(int64 table_id) {
  int64 count = 0;
  as_catalog_owner([&] {
    (void)read_rows(count_updates, {table_id});
    count = ResultRow{}.int8(1);
  });
  return count;
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_unit_guard(PG_FUNCTION_ARGS) {
  const TriggerData* event = (const TriggerData*)fcinfo->context;
  const bool of_trigger =
      CALLED_AS_TRIGGER(fcinfo) && TRIGGER_FIRED_BY_UPDATE(event->tg_event) &&
      (TRIGGER_FIRED_FOR_STATEMENT(event->tg_event) || event->tg_trigger->tgnattr > 0);
  if (!of_trigger) {
    ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                    errmsg("dpmix_internal.unit_guard is a trigger of dpmix's own")));
  }
  if (TRIGGER_FIRED_FOR_STATEMENT(event->tg_event)) {
    put_on_record(event);
    return PointerGetDatum(NULL);
  }
  for (int i = 0; i < event->tg_trigger->tgnattr; i++) {
    require_kept(event, event->tg_trigger->tgattr[i]);
  }
  return PointerGetDatum(event->tg_newtuple);
}
