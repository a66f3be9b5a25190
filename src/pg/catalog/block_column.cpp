#include "pg/catalog/block_column.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

namespace {

Statement declared_blocks = {
    "SELECT column_name, attnum, first_value, width, in_order_of, "
    "       coalesce(cardinality(categories), 0) FROM dpmix.block_column WHERE table_id = $1"};

Statement declared_categories = {"SELECT categories FROM dpmix.block_column WHERE table_id = $1"};

// Made by protect() for these blocks: pg/owner/blocks.
bool is_guard(const Trigger* trigger, const char* column, const BlockGrid& grid) {
  const char* function = get_func_name(trigger->tgfoid);
  return function != NULL && strcmp(function, "block_guard") == 0 &&
         get_func_namespace(trigger->tgfoid) == get_namespace_oid("dpmix_internal", true) &&
         trigger->tgenabled == TRIGGER_FIRES_ALWAYS && trigger->tgqual == NULL &&
         trigger->tgnattr == 0 && TRIGGER_FOR_ROW(trigger->tgtype) && trigger->tgnargs == 3 &&
         strcmp(trigger->tgargs[0], column) == 0 &&
         pg_strtoint64(trigger->tgargs[1]) == grid.first &&
         pg_strtoint64(trigger->tgargs[2]) == grid.width;
}

// Fires before and after each row's UPDATE, and before a partition's row is deleted, as it is where
// an UPDATE moves it, whatever session_replication_role says.
bool is_guarded(Oid relation, const char* column, const BlockGrid& grid) {
  Relation table = table_open(relation, NoLock);
  int found = 0;
  const TriggerDesc* triggers = table->trigdesc;
  for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++) {
    const Trigger* trigger = &triggers->triggers[i];
    if (!is_guard(trigger, column, grid)) continue;
    const bool before = TRIGGER_FOR_BEFORE(trigger->tgtype);
    if (TRIGGER_FOR_UPDATE(trigger->tgtype)) {
      found |= before ? 1 : TRIGGER_FOR_AFTER(trigger->tgtype) ? 2 : 0;
    }
    if (TRIGGER_FOR_DELETE(trigger->tgtype) && before) found |= 4;
  }
  const bool moves =
      table->rd_rel->relispartition || table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
  table_close(table, NoLock);
  return (found & 3) == 3 && (!moves || (found & 4) != 0);
}

// Whether the table's guard is there; where it is partitioned, that of each partition. Tables that
// otherwise inherit do not have its triggers, so a table with such children has no guard.
bool has_guard(Oid relation, const char* column, const BlockGrid& grid) {
  if (get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE) {
    return find_inheritance_children(relation, NoLock) == NIL && is_guarded(relation, column, grid);
  }
  const ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    if (!is_guarded(lfirst_oid(cell), column, grid)) return false;
  }
  return true;
}

// A grid is in units of the type that it was declared for.
bool is_as_declared(Oid type, const char* in_order_of) {
  return in_order_of == NULL ? may_be_listed_blocks(type)
                             : strcmp(format_type_be(type), in_order_of) == 0;
}

}  // namespace

BlockColumn find_block_column(int64 table_id, Oid relation) {
  BlockColumn blocks = {};
  const char *name = NULL, *in_order_of = NULL;
  as_catalog_owner([&] {
    if (read_rows(declared_blocks, {table_id}) == 0) return;
    const ResultRow row;
    name = row.text(1);
    blocks.column = (AttrNumber)row.int4(2);
    blocks.grid = {row.int8(3), row.int8(4)};
    in_order_of = row.is_null(5) ? NULL : row.text(5);
    blocks.listed = in_order_of == NULL;
    blocks.categories = row.int4(6);
  });
  if (name == NULL) return {};
  blocks.type = get_atttype(relation, blocks.column);
  blocks.grid.day = places_of_day(blocks.type);
  const bool there =
      get_attnum(relation, name) == blocks.column && is_as_declared(blocks.type, in_order_of);
  if (!there || !has_guard(relation, name, blocks.grid)) {
    refuse(ErrorCode::ledger_unavailable,
           psprintf("rows of %s are not kept in their blocks", qualified_name(relation)),
           there ? "The triggers that protect() made were dropped, disabled or changed, or others "
                   "inherit from the table."
                 : psprintf("Its column \"%s\" is gone, or has another type.", name),
           "Its owner makes them anew: unprotect the table, and protect it with the same terms.");
  }
  return blocks;
}

bool may_be_blocks(Oid type) {
  switch (type) {
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
      return true;
    default:
      return false;
  }
}

bool may_be_listed_blocks(Oid type) {
  switch (type) {
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case UUIDOID:
    case BOOLOID:
      return true;
    default:
      return get_typtype(type) == TYPTYPE_ENUM;
  }
}

char** block_categories(int64 table_id, int* count) {
  char** category = NULL;
  as_catalog_owner([&] {
    if (read_rows(declared_categories, {table_id}) == 0) elog(ERROR, "the blocks are gone");
    category = ResultRow{}.texts(1, count);
  });
  return category;
}

bool follows_clock(Oid type) {
  return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

int64 least_place(Oid type) {
  switch (type) {
    case DATEOID:
      return DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE;
    case INT2OID:
      return PG_INT16_MIN;
    case INT4OID:
      return PG_INT32_MIN;
    case INT8OID:
      return PG_INT64_MIN;
    default:
      return MIN_TIMESTAMP;
  }
}

int64 largest_place(Oid type) {
  switch (type) {
    case DATEOID:
      return DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1;
    case INT2OID:
      return PG_INT16_MAX;
    case INT4OID:
      return PG_INT32_MAX;
    case INT8OID:
      return PG_INT64_MAX - 1;  // so that one more is a number, too
    default:
      return END_TIMESTAMP - 1;
  }
}

Datum value_at_place(Oid type, int64 place) {
  const int64 within = Min(Max(place, least_place(type)), largest_place(type));
  switch (type) {
    case DATEOID:
      return DateADTGetDatum((DateADT)within);
    case INT2OID:
      return Int16GetDatum((int16)within);
    case INT4OID:
      return Int32GetDatum((int32)within);
    default:
      return Int64GetDatum(within);
  }
}

const char* place_text(Oid type, int64 place) {
  char text[MAXDATELEN + 1] = "";
  pg_tm parts = {};
  fsec_t fraction = 0;
  switch (type) {
    case DATEOID:
      j2date((int)place + POSTGRES_EPOCH_JDATE, &parts.tm_year, &parts.tm_mon, &parts.tm_mday);
      EncodeDateOnly(&parts, USE_ISO_DATES, text);
      return pstrdup(text);
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      if (timestamp2tm(place, NULL, &parts, &fraction, NULL, NULL) != 0) return NULL;
      EncodeDateTime(&parts, fraction, false, 0, NULL, USE_ISO_DATES, text);
      return type == TIMESTAMPTZOID ? psprintf("%s+00", text) : pstrdup(text);
    default:
      return psprintf(INT64_FORMAT, place);
  }
}

bool place_in_blocks(const BlockColumn* blocks, Datum value, int64* place) {
  switch (blocks->type) {
    case DATEOID:
      *place = DatumGetDateADT(value);
      break;
    case INT2OID:
      *place = DatumGetInt16(value);
      break;
    case INT4OID:
      *place = DatumGetInt32(value);
      break;
    default:
      *place = DatumGetInt64(value);
  }
  return *place >= blocks->grid.first && *place >= least_place(blocks->type) &&
         *place <= largest_place(blocks->type);
}

int64 places_of_day(Oid type) {
  return type == TIMESTAMPOID || type == TIMESTAMPTZOID ? USECS_PER_DAY : 1;
}

int64 place_of_time(Oid type, TimestampTz time) {
  switch (type) {
    case DATEOID:
      // Floor: before 2000 as well.
      return time / USECS_PER_DAY - (time % USECS_PER_DAY < 0 ? 1 : 0);
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return time;
    default:
      return largest_place(type);
  }
}

}  // namespace dpmix::pg
