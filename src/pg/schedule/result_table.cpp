#include "pg/schedule/result_table.hpp"

#include "pg/border/statement.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/schedule/recipe.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_table(const Schedule* schedule, const char* why) {
  refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
         psprintf("the result table %s of schedule \"%s\" cannot be used", result_name(schedule),
                  schedule->name),
         why, "Put it back as it was made, or drop the schedule and create another.");
}

// Locks nothing of a stranger.
void check_owner(const RangeVar*, Oid found, Oid, void* arg) {
  const Schedule* schedule = (const Schedule*)arg;
  if (OidIsValid(found) && relation_owner(found) != schedule->owner) {
    refuse_table(schedule, "It belongs to another role than the schedule.");
  }
}

void check_column(const Schedule* schedule, TupleDesc desc, const char* name, Oid type) {
  for (int i = 0; i < desc->natts; i++) {
    const Form_pg_attribute column = TupleDescAttr(desc, i);
    if (column->attisdropped || strcmp(NameStr(column->attname), name) != 0) continue;
    if (column->atttypid != type) {
      refuse_table(schedule,
                   psprintf("Column \"%s\" has another type than when it was made.", name));
    }
    if (column->attgenerated != '\0' || column->attidentity != '\0') {
      refuse_table(schedule, psprintf("Column \"%s\" is generated.", name));
    }
    return;
  }
  refuse_table(schedule, psprintf("Column \"%s\" is gone.", name));
}

void check_table(const Schedule* schedule, Relation table) {
  if (table->rd_rel->relkind != RELKIND_RELATION) {
    refuse_table(schedule, "It is not an ordinary table.");
  }
  if (table->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT) {
    refuse_table(schedule, "It is temporary or unlogged, and would lose what was paid for.");
  }
  if (table->rd_rules != NULL) refuse_table(schedule, "It has rules.");
  if (table->rd_rel->relforcerowsecurity) {
    refuse_table(schedule, "Its owner is subject to row-level security.");
  }
  // They would fire at the commit, as the caller, which PostgreSQL refuses once the charge is paid.
  for (int i = 0; table->trigdesc != NULL && i < table->trigdesc->numtriggers; i++) {
    if (table->trigdesc->triggers[i].tginitdeferred)
      refuse_table(schedule, "It has deferred triggers.");
  }
  const TupleDesc desc = RelationGetDescr(table);
  check_column(schedule, desc, "due", TIMESTAMPTZOID);
  for (int i = 0; i < schedule->columns; i++) {
    check_column(schedule, desc, schedule->column[i], schedule->type[i]);
  }
}

}  // namespace

const char* result_name(const Schedule* schedule) {
  return quote_qualified_identifier(schedule->result_schema, schedule->result_table);
}

const char* column_type(Oid type) {
  return format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

void place_result_table(const char* text, Schedule* schedule) {
  RangeVar* name = table_name("result_table", text);
  const Oid schema = RangeVarGetCreationNamespace(name);
  if (isAnyTempNamespace(schema)) {
    refuse_argument("the table for released rows is temporary",
                    psprintf("result_table is \"%s\".", quoted_prefix(text)),
                    "Name a table of another schema.");
  }
  schedule->result_schema = get_namespace_name(schema);
  schedule->result_table = name->relname;
  for (int i = 0; i < schedule->columns; i++) {
    for (int j = -1; j < i; j++) {
      const char* other = j < 0 ? "due" : schedule->column[j];
      if (strcmp(schedule->column[i], other) != 0) continue;
      refuse_argument(psprintf("the table for released rows would have two columns \"%s\"", other),
                      "Its first column is due, then come the released columns.",
                      "Name them apart with AS.");
    }
  }
}

void make_result_table(const Schedule* schedule) {
  const Oid schema = get_namespace_oid(schedule->result_schema, false);
  if (OidIsValid(get_relname_relid(schedule->result_table, schema))) {
    require_result_table(schedule);  // the table of a schedule that was dropped, say
    return;
  }
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfo(&sql, "CREATE TABLE %s (due pg_catalog.timestamptz NOT NULL",
                   result_name(schedule));
  for (int i = 0; i < schedule->columns; i++) {
    appendStringInfo(&sql, ", %s %s", quote_identifier(schedule->column[i]),
                     column_type(schedule->type[i]));
  }
  appendStringInfoChar(&sql, ')');
  SPI_connect();
  run_text(sql.data, SPI_OK_UTILITY);
  SPI_finish();
}

void require_result_table(const Schedule* schedule) {
  RangeVar* name = makeRangeVar((char*)schedule->result_schema, (char*)schedule->result_table, -1);
  const Oid found = RangeVarGetRelidExtended(name, RowExclusiveLock, RVR_MISSING_OK, check_owner,
                                             (void*)schedule);
  if (!OidIsValid(found)) refuse_table(schedule, "It is gone.");
  Relation table = table_open(found, NoLock);
  check_table(schedule, table);
  table_close(table, NoLock);
}

}  // namespace dpmix::pg
