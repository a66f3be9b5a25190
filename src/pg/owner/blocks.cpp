#include "pg/owner/blocks.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
PG_FUNCTION_INFO_V1(dpmix_block_guard);
}

namespace dpmix::pg {
namespace {

Statement recorded_blocks = {
    "SELECT column_name = $2 AND first_value = $3 AND width = $4 AND in_order_of IS NOT DISTINCT "
    "FROM $5 "
    "FROM dpmix.block_column WHERE table_id = $1"};

Statement declared_blocks = {
    "SELECT column_name, first_value, width FROM dpmix.block_column WHERE table_id = $1"};

Statement replace_blocks = {
    "INSERT INTO dpmix.block_column (table_id, column_name, attnum, first_value, width, "
    "in_order_of, "
    "  categories) VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6 IS NULL THEN coalesce((SELECT "
    "d.categories "
    "  FROM dpmix.column_domain d WHERE d.table_id = $1 AND d.column_name = $2), '{}') END) "
    "ON CONFLICT (table_id) DO UPDATE SET column_name = $2, attnum = $3, first_value = $4, "
    "width = $5, in_order_of = $6, categories = CASE WHEN $7 THEN block_column.categories ELSE "
    "excluded.categories END"};

// Blocks keep their numbers: what is new comes behind them.
Statement add_categories = {
    "UPDATE dpmix.block_column SET categories = $3 WHERE table_id = $1 AND column_name = $2 "
    "AND categories = ($3::text[])[1:cardinality(categories)]"};

Statement listed_column = {
    "SELECT FROM dpmix.block_column WHERE table_id = $1 AND column_name = $2 "
    "AND in_order_of IS NULL"};

Statement forget_blocks = {"DELETE FROM dpmix.block_column WHERE table_id = $1"};

Statement any_blocks = {"SELECT FROM dpmix.block_column WHERE table_id = $1"};

Statement adopt_columns = {
    "UPDATE dpmix.block_column b SET attnum = a.attnum "
    "FROM dpmix.protected_table p JOIN pg_attribute a ON a.attrelid = p.relation "
    "WHERE p.id = b.table_id AND a.attname = b.column_name AND a.attnum > 0 "
    "AND a.attnum <> b.attnum"};

Statement rename_blocks = {
    "UPDATE dpmix.block_column b SET column_name = $2 "
    "FROM dpmix.protected_table p JOIN pg_class c ON c.oid = p.relation AND c.relname = "
    "p.table_name "
    "JOIN pg_attribute a ON a.attrelid = p.relation "
    "WHERE p.id = b.table_id AND b.column_name = $1 AND a.attnum = b.attnum AND a.attname = $2 "
    "RETURNING p.relation, b.first_value, b.width"};

bool is_date(Oid type) {
  return type == DATEOID;
}
bool is_time(Oid type) {
  return type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

Datum read_text(Oid type, const char* text) {
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  return OidInputFunctionCall(input, (char*)text, argument, -1);
}

// 0: the text says another length than one of months.
int64 months_in(const char* text) {
  const Interval* span = DatumGetIntervalP(read_text(INTERVALOID, text));
  return span->day == 0 && span->time == 0 ? Max(span->month, 0) : 0;
}

// The length of an interval in days or microseconds; 0 where it is none, or has months: a month has
// no length.
int64 span_in_time(const char* text, bool days) {
  const Interval* span = DatumGetIntervalP(read_text(INTERVALOID, text));
  const int64 most = PG_INT64_MAX / 4;
  const bool known = span->month == 0 && span->day >= 0 && span->time >= 0 && span->time < most &&
                     span->day < most / USECS_PER_DAY && (!days || span->time % USECS_PER_DAY == 0);
  const int64 total = known ? span->day * USECS_PER_DAY + span->time : 0;
  return days ? total / USECS_PER_DAY : total;
}

int64 width_of(Oid type, const char* text) {
  const bool time = is_date(type) || is_time(type);
  if (text == NULL) text = time ? "1 day" : "1";
  const int64 width = span_of(type, text);
  if (width > 0) return width;
  if (time && months_in(text) > 0) return -months_in(text);
  refuse_argument(
      psprintf("blocks cannot be %s wide", text),
      is_date(type)   ? "The width of blocks of days is a number of days, months or years above "
                        "0."
      : is_time(type) ? "The width of blocks is a time above 0, or a number of months or years."
                      : "The width of blocks of whole numbers is a whole number above 0.",
      time ? "Give an interval such as 1 day, 7 days or 1 year."
           : "Give a number such as 1 or 1000.");
}

int64 first_of(Oid type, const char* text) {
  int64 place = 0;
  if (text != NULL && !place_of_text(type, text, &place)) {
    refuse_argument(psprintf("blocks cannot begin at %s", text), "The first value is finite.",
                    "Give a value such as 2020-01-01.");
  }
  return place;
}

BlockGrid grid_of(Oid type, const char* width, const char* first) {
  const BlockGrid grid = {first_of(type, first), width_of(type, width), places_of_day(type)};
  if (!grid.of_months() || grid.begins_month(grid.first)) return grid;
  refuse_argument(psprintf("blocks of months cannot begin at %s", first),
                  "Each begins with the first day of a month, at 0:00 UTC.",
                  "Give a first day such as 2020-01-01, or a width in days.");
}

// The type of a column in order; NULL of one whose categories are blocks.
Value order_of(const BlockDeclaration& declaration) {
  const bool ordered = declaration.column != NULL && !declaration.read.listed;
  return ordered ? format_type_be(declaration.read.type) : (const char*)NULL;
}

bool is_stored(Oid relation, AttrNumber column) {
  HeapTuple tuple = SearchSysCache2(ATTNUM, relation, column);
  if (!HeapTupleIsValid(tuple)) return false;
  const bool stored = ((Form_pg_attribute)GETSTRUCT(tuple))->attgenerated == '\0';
  ReleaseSysCache(tuple);
  return stored;
}

}  // namespace

int64 span_of(Oid type, const char* text) {
  if (is_date(type) || is_time(type)) return span_in_time(text, is_date(type));
  return Max(DatumGetInt64(read_text(INT8OID, text)), (int64)0);
}

bool place_of_text(Oid type, const char* text, int64* place) {
  const BlockColumn any = {0, type, {PG_INT64_MIN, 1}, false, 0};
  const Datum value = read_text(type == TIMESTAMPTZOID ? TIMESTAMPOID : type, text);
  return place_in_blocks(&any, value, place);
}

BlockGrid blocks_of_time(const char* width, const char* first) {
  if (width == NULL && first == NULL) return {0, 1};
  if (width == NULL) {
    refuse_argument("blocks_from is about blocks, and width is not given",
                    "A population with a width has the budget for each block of it.",
                    "Add width => '1 year', or leave it out.");
  }
  return grid_of(TIMESTAMPTZOID, width, first);
}

bool grid_for(Oid type, const BlockGrid& of_time, BlockGrid* grid) {
  *grid = of_time;
  if (!is_date(type)) return true;
  const bool months = of_time.of_months();
  if (of_time.first % USECS_PER_DAY != 0) return false;
  if (!months && of_time.width % USECS_PER_DAY != 0) return false;
  *grid = {of_time.first / USECS_PER_DAY, months ? of_time.width : of_time.width / USECS_PER_DAY};
  return true;
}

void require_blocks(Oid relation, BlockDeclaration* declaration) {
  if (declaration->column == NULL) {
    if (declaration->width == NULL && declaration->first == NULL) return;
    refuse_argument("width and blocks_from are about blocks, and blocks is not given",
                    "blocks names the column that a row's block follows from.",
                    "Add blocks => 'column', or leave them out.");
  }
  const char* table = qualified_name(relation);
  const AttrNumber column = get_attnum(relation, declaration->column);
  if (column <= 0) {
    refuse_argument(psprintf("%s has no column \"%s\"", table, declaration->column),
                    "blocks names the column that a row's block follows from.",
                    "Name an existing column.");
  }
  const Oid type = get_atttype(relation, column);
  const bool listed = may_be_listed_blocks(type);
  if (!may_be_blocks(type) && !listed) {
    refuse_argument(
        psprintf("column \"%s\" cannot say which block a row is in", declaration->column),
        psprintf("Its type is %s.", format_type_be(type)),
        "Blocks are of a date, timestamp or whole number, or of text, uuid, boolean or an enum.");
  }
  if (listed && (declaration->width != NULL || declaration->first != NULL)) {
    refuse_argument("blocks of categories have no width and no first value",
                    "Each declared category is a block.", "Leave width and blocks_from out.");
  }
  // Not computed yet where the guard looks at a row.
  if (!is_stored(relation, column)) {
    refuse_argument(psprintf("column \"%s\" is generated", declaration->column),
                    "What keeps rows in their blocks cannot see what it will be.",
                    "Name a column that is stored as it was given.");
  }
  if (get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE &&
      find_inheritance_children(relation, NoLock) != NIL) {
    refuse_argument(psprintf("%s has inheritance children", table),
                    "What keeps rows in their blocks is a trigger, which they do not inherit.",
                    "Use a partitioned table.");
  }
  declaration->read = {column, type, {0, 1}, listed, 0};
  if (listed) return;
  declaration->read.grid = grid_of(type, declaration->width, declaration->first);
  const BlockGrid& grid = declaration->read.grid;
  if (grid.of_months() ||
      (static_cast<Int128>(largest_place(type)) - grid.first) / grid.width < PG_INT64_MAX) {
    return;
  }
  refuse_argument(
      "there are too many blocks",
      "From the first value to the largest of the type there are more than a bigint counts.",
      "Give a larger width, or blocks_from nearer to 0.");
}

namespace {

struct Recorded {
  bool any, same;  // whether any are on record; whether they are as declared
};

Recorded compare_blocks(int64 table_id, const BlockDeclaration& declaration) {
  const bool wanted = declaration.column != NULL;
  const BlockGrid grid = wanted ? declaration.read.grid : BlockGrid{0, 1};
  const bool any =
      read_rows(recorded_blocks, {table_id, name_value(declaration.column), (int64)grid.first,
                                  (int64)grid.width, order_of(declaration)}) > 0;
  return {any, any == wanted && (!wanted || ResultRow{}.truth(1))};
}

}  // namespace

bool are_recorded_blocks(int64 table_id, const BlockDeclaration& declaration) {
  return compare_blocks(table_id, declaration).same;
}

void record_blocks(int64 table_id, const BlockDeclaration& declaration, bool charged) {
  const auto [recorded, same] = compare_blocks(table_id, declaration);
  if (charged && !same) {
    refuse_argument("blocks of a table that was charged cannot change",
                    "Its charges were made to blocks of the column, width and beginning on record.",
                    "Protect it with the same blocks, width and blocks_from; earlier charges "
                    "resume.");
  }
  if (declaration.column != NULL) {
    const BlockGrid& grid = declaration.read.grid;
    (void)write_rows(replace_blocks,
                     {table_id, name_value(declaration.column), (int32)declaration.read.column,
                      (int64)grid.first, (int64)grid.width, order_of(declaration), charged});
  } else if (recorded) {
    (void)write_rows(forget_blocks, {table_id});
  }
}

void number_categories(int64 table_id, const char* column, Value categories) {
  if (write_rows(add_categories, {table_id, name_value(column), categories}) > 0) return;
  if (read_rows(listed_column, {table_id, name_value(column)}) == 0) return;
  refuse_argument(
      "categories that are blocks keep their places",
      "What was charged to a block is charged to a category's place in the list.",
      "State the categories that were declared, in their order, and add others behind.");
}

bool has_recorded_blocks(int64 table_id) {
  return read_rows(any_blocks, {table_id}) > 0;
}

BlockDeclaration recorded_declaration(int64 table_id) {
  BlockDeclaration declaration = {};
  if (read_rows(declared_blocks, {table_id}) == 0) return declaration;
  const ResultRow row;
  declaration.column = row.text(1);
  declaration.read.grid = {row.int8(2), row.int8(3)};
  return declaration;
}

void adopt_blocks() {
  (void)write_rows(adopt_columns);
}

// Triggers fire in the order of their names: before, this one sees what the others left, and after,
// what became of the row. An UPDATE that moves a row to another partition deletes it there, and no
// trigger sees it again.
void install_guard(Oid relation, const BlockDeclaration& declaration) {
  const char* table = qualified_name(relation);
  run_as(relation_owner(relation), false, [&] {
    SPI_connect();
    const bool moves = get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE;
    for (const char* when : {"BEFORE UPDATE", "AFTER UPDATE", "BEFORE DELETE"}) {
      const char* name = psprintf("~dpmix block guard %s", when);
      const char* quoted = quote_identifier(name);
      if (OidIsValid(get_trigger_oid(relation, name, true))) {
        run_text(psprintf("DROP TRIGGER %s ON %s", quoted, table), SPI_OK_UTILITY);
      }
      if (declaration.column == NULL || (!moves && strstr(when, "DELETE") != NULL)) continue;
      run_text(psprintf("CREATE TRIGGER %s %s ON %s FOR EACH ROW EXECUTE FUNCTION "
                        "dpmix_internal.block_guard(%s, '" INT64_FORMAT "', '" INT64_FORMAT "')",
                        quoted, when, table, quote_literal_cstr(declaration.column),
                        declaration.read.grid.first, declaration.read.grid.width),
               SPI_OK_UTILITY);
      run_text(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", table, quoted), SPI_OK_UTILITY);
    }
    SPI_finish();
  });
}

void rename_block_column(const char* from, const char* to) {
  const uint64 count = write_rows(rename_blocks, {name_value(from), name_value(to)});
  BlockDeclaration* renamed = (BlockDeclaration*)palloc(sizeof(BlockDeclaration) * Max(count, 1));
  Oid* relation = (Oid*)palloc(sizeof(Oid) * Max(count, 1));
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row = {i};
    relation[i] = row.oid(1);
    renamed[i] = {.column = to,
                  .width = NULL,
                  .first = NULL,
                  .read = {0, InvalidOid, {row.int8(2), row.int8(3)}, false, 0}};
  }
  for (uint64 i = 0; i < count; i++) install_guard(relation[i], renamed[i]);
}

namespace {

// The block of a row; -1: none.
int64 block_in(const BlockColumn& blocks, HeapTuple row, TupleDesc columns) {
  bool null;
  const Datum value = heap_getattr(row, blocks.column, columns, &null);
  int64 place;
  if (null || !place_in_blocks(&blocks, value, &place)) return -1;
  return blocks.grid.block_of(place);
}

// A category, declared or not, is a block of its own.
bool leaves_block(const BlockColumn& blocks, HeapTuple from, HeapTuple to, TupleDesc columns) {
  if (may_be_listed_blocks(blocks.type)) {
    const FormData_pg_attribute* type = TupleDescAttr(columns, blocks.column - 1);
    bool was_null, is_null;
    const Datum was = heap_getattr(from, blocks.column, columns, &was_null),
                is = heap_getattr(to, blocks.column, columns, &is_null);
    if (was_null) return false;
    return is_null || !datum_image_eq(was, is, type->attbyval, type->attlen);
  }
  const int64 before = block_in(blocks, from, columns);
  return before >= 0 && block_in(blocks, to, columns) != before;
}

// The row that BEFORE UPDATE let pass last. Deleted before anything else became of it, it moves.
struct Updated {
  Oid relation;
  ItemPointerData row;
  SubTransactionId transaction;
  TimestampTz began;
} updated = {};

Updated row_of(const TriggerData* event) {
  return {RelationGetRelid(event->tg_relation), event->tg_trigtuple->t_self,
          GetCurrentSubTransactionId(), GetCurrentTransactionStartTimestamp()};
}

bool is_updated(const Updated& row) {
  return row.relation == updated.relation && row.transaction == updated.transaction &&
         row.began == updated.began && ItemPointerEquals(&updated.row, (ItemPointer)&row.row);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_block_guard(PG_FUNCTION_ARGS) {
  const TriggerData* event = (const TriggerData*)fcinfo->context;
  if (!CALLED_AS_TRIGGER(fcinfo) || TRIGGER_FIRED_BY_INSERT(event->tg_event) ||
      !TRIGGER_FIRED_FOR_ROW(event->tg_event) || event->tg_trigger->tgnargs != 3) {
    ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                    errmsg("dpmix_internal.block_guard is a trigger of dpmix's own")));
  }
  if (TRIGGER_FIRED_BY_DELETE(event->tg_event)) {
    if (!is_updated(row_of(event))) return PointerGetDatum(event->tg_trigtuple);
    refuse(ErrorCode::query_not_allowed, "a row of a table with blocks cannot leave its partition",
           "Nothing could see in which block it arrives.",
           "DELETE the row and INSERT another: for its owner's promise that is a new unit.");
  }
  char** argument = event->tg_trigger->tgargs;
  const TupleDesc columns = RelationGetDescr(event->tg_relation);
  const int column = SPI_fnumber(columns, argument[0]);
  if (column <= 0) elog(ERROR, "the column \"%s\" of blocks is gone", argument[0]);
  const BlockColumn blocks = {(AttrNumber)column,
                              TupleDescAttr(columns, column - 1)->atttypid,
                              {pg_strtoint64(argument[1]), pg_strtoint64(argument[2]),
                               places_of_day(TupleDescAttr(columns, column - 1)->atttypid)},
                              false,
                              0};
  if (leaves_block(blocks, event->tg_trigtuple, event->tg_newtuple, columns)) {
    refuse(ErrorCode::query_not_allowed, "a row cannot leave its block",
           psprintf("Column \"%s\" of %s says which block's budget pays for what is asked about a "
                    "row.",
                    argument[0], RelationGetRelationName(event->tg_relation)),
           "DELETE the row and INSERT another: for its owner's promise that is a new unit.");
  }
  if (TRIGGER_FIRED_BEFORE(event->tg_event)) updated = row_of(event);
  return PointerGetDatum(event->tg_newtuple);
}
