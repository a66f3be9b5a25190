#include "pg/units/held_units.hpp"

#include <cmath>

#include "core/query/unit_rows.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/memory_plan.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/units/grouping.hpp"
#include "pg/units/held_reading.hpp"
#include "pg/units/held_store.hpp"
#include "pg/units/kept_rows.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "executor/tuptable.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/relcache.h"
}

namespace dpmix::pg {
namespace {

constexpr double kMostShares = 1e6;
// Of one unit in one table: whoever has more has that many, or as many as the owner says.
constexpr double kMostRows = 10000, kUsualRows = 100;

// Whole numbers of different widths are one kind of values.
Oid kind_type(Oid type) {
  return type == INT2OID || type == INT4OID ? INT8OID : type == VARCHAROID ? TEXTOID : type;
}

// SELECT what is read of it FROM the table.
const char* reading(const HeldTable* table) {
  StringInfoData sql;
  initStringInfo(&sql);
  int column = -1;
  while ((column = bms_next_member(table->columns, column)) >= 0) {
    const char* name = NameStr(TupleDescAttr(table->type, column - 1)->attname);
    appendStringInfo(&sql, "%s r.%s", sql.len == 0 ? "SELECT" : ",", quote_identifier(name));
  }
  appendStringInfo(&sql, " FROM %s AS r", qualified_name(table->relation));
  return sql.data;
}

// Of a unit's number.
int notes_beside(const HeldUnits* held) {
  const GroupedValues* grouped = table_at(held, 0)->grouped;
  return 1 + (grouped != NULL ? grouped->words : 0);
}

[[noreturn]] void refuse_size(double bytes) {
  refuse_argument("the tables do not fit the memory of a release",
                  psprintf("Their rows take about %.0f kB; dpmix.scan_memory is %.0f kB.",
                           bytes / 1024, scan_memory_bytes() / 1024),
                  "Ask over smaller tables, or ask an administrator to raise dpmix.scan_memory.");
}

// Its rows are no larger than on pages. There are no more units, nor keys, than rows.
double bytes_of(const HeldTable* table) {
  constexpr double kUnit = UnitRows::kBytesOfUnit + 40, kKey = 64;
  if (table->grouped != NULL) {
    return (kUnit + bytes_of_group(table->grouped)) * most_rows_in(table->relation);
  }
  const double each =
      UnitRows::kBytesEach + (is_public(table) ? 0 : kUnit) + (table->key_kinds != NULL ? kKey : 0);
  return public_size(table->relation) + each * most_rows_in(table->relation);
}

void map_keys(HeldUnits* held, const HeldTable* table) {
  HeldTable* target = table_at(held, table->unit.target);
  if (target->key_kinds != NULL) return;
  Oid type[INDEX_MAX_KEYS];
  for (int i = 0; i < table->unit.columns; i++) {
    type[i] = kind_type(TupleDescAttr(target->type, table->unit.key[i] - 1)->atttypid);
  }
  target->key_columns = table->unit.columns;
  target->key_column = table->unit.key;
  target->key_kinds = value_kinds(table->unit.columns, type);
}

// That the first rows make it take besides their own.
double bytes_at_first(const HeldUnits* held) {
  double bytes = kNumbersAtFirst;
  ListCell* cell;
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    if (table->grouped == NULL) bytes += UnitRows::kBytesAtFirst;
    if (table->key_kinds != NULL) bytes += kNumbersAtFirst;
  }
  return bytes;
}

// Of tables whose own column is the unit, which share a row is in is known as it is read.
double bytes_to_keep(const HeldUnits* held) {
  double bytes = 0;
  ListCell* cell;
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    if (table->unit.target >= 0) return 0;
    if (!is_public(table)) bytes += bytes_of_kept_rows(table);
  }
  return bytes;
}

// Of one unit, at most: while rows come it has twice as many as are kept.
double bytes_of_widest(const HeldUnits* held) {
  double bytes = 0;
  ListCell* cell;
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    const double rows = Max(most_rows_in(table->relation), 1);
    const double most = table->grouped != NULL ? 1 : 2. * table->most;
    bytes += bytes_of(table) * Min(most, rows) / rows;
  }
  return bytes;
}

// What one of so many shares takes, with a probability of more than 1 - 1e-7: by Bernstein's
// inequality, where no unit has more than `widest` of the bytes.
double bytes_of_share(double bytes, double shares, double widest) {
  return Min(bytes, bytes / shares + 6 * sqrt(widest * bytes / shares) + 12 * widest);
}

// Each share reads the tables.
void plan_shares_alone(HeldUnits* held, double bytes) {
  constexpr double kUneven = 1.25;
  const double shares = Min(ceil(bytes / scan_memory_bytes()), kMostShares);
  need_own_memory(shares > 1 ? kUneven * bytes / shares : bytes);
  held->shares = (int)shares;
}

// bytes: that all shares take. Rows of all of them are kept, packed, where that leaves a fourth of
// the memory to the one at work; a part of which is enough: in less memory rows are found sooner.
void plan_shares(HeldUnits* held, double bytes, bool may_share) {
  constexpr double kNear = 64 << 20;
  const double memory = scan_memory_bytes(), kept = may_share ? bytes_to_keep(held) : 0;
  const double shares = Min(ceil(bytes / Min(memory - kept, kNear)), kMostShares);
  if (kept == 0 || kept > memory * 3 / 4 || shares == 1) {
    plan_shares_alone(held, bytes);
    return;
  }
  held->shares = (int)shares;
  held->keeps_rows = true;
  need_own_memory(bytes_of_share(bytes, shares, bytes_of_widest(held)) + kept +
                  list_length(held->tables) * spare_bytes_of_kept(held->shares, kept / shares));
}

// Once: reads what all shares have.
void keep_shares(HeldUnits* held) {
  MemoryContext outer = MemoryContextSwitchTo(held->kept_context);
  ListCell* cell;
  foreach (cell, held->tables) {
    HeldTable* table = (HeldTable*)lfirst(cell);
    if (!is_public(table) && table->kept == NULL) keep_rows_of_shares(held, table);
    CHECK_FOR_INTERRUPTS();
  }
  MemoryContextSwitchTo(outer);
}

}  // namespace

HeldUnits* hold_no_units() {
  HeldUnits* held = (HeldUnits*)palloc0(sizeof(HeldUnits));
  held->context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix held units", ALLOCSET_DEFAULT_SIZES);
  held->kept_context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix kept rows", ALLOCSET_DEFAULT_SIZES);
  held->shares = 1;
  held->share = -1;
  RandomStream* random = random_stream();
  held->seed = guard([&] { return random->next64(); });
  return held;
}

int hold_units_of(HeldUnits* held, Oid relation, Oid owner, const UnitOfRow& unit, Expr* condition,
                  double rows) {
  HeldTable* table = (HeldTable*)palloc0(sizeof(HeldTable));
  table->relation = relation;
  table->owner = owner;
  table->unit = unit;
  table->condition = condition;
  table->usual = is_public(table) ? rows : Min(rows, kUsualRows);
  table->most = is_public(table) ? PG_INT32_MAX : (uint32)Max(rows, kMostRows);
  Relation opened = RelationIdGetRelation(relation);
  table->type = CreateTupleDescCopy(RelationGetDescr(opened));
  RelationClose(opened);
  if (unit.column != InvalidAttrNumber) {
    const Oid type = kind_type(TupleDescAttr(table->type, unit.column - 1)->atttypid);
    if (held->kinds == NULL) {
      held->unit_type = type;
      held->kinds = value_kinds(1, &type);
    } else if (type != held->unit_type) {
      refuse(ErrorCode::query_not_allowed, "the tables' privacy units are of different types",
             psprintf("%s and %s.", format_type_be(held->unit_type), format_type_be(type)),
             "Let the owner give both columns one type.");
    }
    table->columns = bms_add_member(table->columns, unit.column);
  } else {  // nothing, of a public one
    for (int i = 0; i < unit.columns; i++) {
      table->columns = bms_add_member(table->columns, unit.link[i]);
      read_column_of(held, unit.target, unit.key[i]);
    }
  }
  held->tables = lappend(held->tables, table);
  if (unit.target >= 0) map_keys(held, table);
  return list_length(held->tables) - 1;
}

void read_column_of(HeldUnits* held, int table, AttrNumber column) {
  HeldTable* read = table_at(held, table);
  read->columns = bms_add_member(read->columns, column);
}

// Of CASE the planner expects half of the rows, whatever the condition: so the path is the same.
void hold_only(HeldUnits* held, int table, Expr* condition) {
  HeldTable* read = table_at(held, table);
  if (read->key_kinds != NULL) return;
  Expr* wanted = case_when((Expr*)copyObjectImpl(condition),
                           (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(true)));
  read->condition = (Expr*)make_and_qual((Node*)read->condition, (Node*)wanted);
}

void hold_groups(HeldUnits* held, const GroupedValues* values) {
  table_at(held, 0)->grouped = values;
}

void plan_held_units(HeldUnits* held, bool may_share) {
  if (held == NULL) return;
  double bytes = 0;
  ListCell* cell;
  foreach (cell, held->tables) {
    HeldTable* table = (HeldTable*)lfirst(cell);
    if (table->scan != NULL) return;
    bytes += bytes_of(table);
  }
  if (bytes > scan_memory_bytes() && !may_share) refuse_size(bytes);
  plan_shares(held, bytes, may_share);
  // What shares give back has large pages at places where the next ones do not fit.
  constexpr double kInPieces = 3;
  need_own_memory(bytes_at_first(held) * (held->shares > 1 ? kInPieces : 1));
  foreach (cell, held->tables) {
    HeldTable* table = (HeldTable*)lfirst(cell);
    table->scan = plan_scan(reading(table), table->relation, table->owner, InvalidOid,
                            table->condition, {}, arguments_of(table->grouped));
    if (table->key_kinds != NULL) require_parts_in_snapshot(table->relation);
  }
}

void need_rows_at_work(const HeldUnits* held, const SilentScan* scan) {
  if (held == NULL) return;
  constexpr double kTuple = 160;  // besides its values: of a sort, or a table of hashes
  double widest = 0;
  ListCell* cell;
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    const double rows = Max(most_rows_in(table->relation), 1);
    widest = Max(widest, Min(rows, table->most) * (kTuple + public_size(table->relation) / rows));
  }
  need_own_memory(widest * nodes_holding_rows(scan->plan));
}

int shares_of(const HeldUnits* held) {
  return held != NULL ? held->shares : 1;
}

// All tables are read before any row is looked at: shares begin with nothing.
void read_held_units(HeldUnits* held, int share) {
  if (held == NULL || held->share == share) return;
  held->share = share;
  MemoryContextReset(held->context);
  if (held->keeps_rows) keep_shares(held);
  MemoryContext outer = MemoryContextSwitchTo(held->context);
  held->numbers = value_numbers(held->kinds, held->seed, notes_beside(held));
  ListCell* cell;
  foreach (cell, held->tables) {
    HeldTable* table = (HeldTable*)lfirst(cell);
    if (table->grouped == NULL) {
      table->rows = context_object<UnitRows>([&] { return new UnitRows(table->most); });
    }
    if (table->key_kinds != NULL) table->key = value_numbers(table->key_kinds, held->seed);
    read_table(held, table);
    CHECK_FOR_INTERRUPTS();
  }
  const uint32 units = (uint32)notes_of(held->numbers).size();
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    if (table->grouped == NULL) {
      guard([&] { table->rows->put_together(is_public(table) ? 1 : units); });
    }
    CHECK_FOR_INTERRUPTS();
  }
  MemoryContextSwitchTo(outer);
}

// What is held -----------------------------------------------------------------------------------

TupleDesc columns_held(const HeldUnits* held, int table) {
  return table_at(held, table)->type;
}

double usual_rows(const HeldUnits* held, int table) {
  return table_at(held, table)->usual;
}

bool is_public_table(const HeldUnits* held, int table) {
  return is_public(table_at(held, table));
}

uint32 units_held(const HeldUnits* held) {
  return (uint32)notes_of(held->numbers).size();
}

std::span<const UnitRows::Row> rows_held(const HeldUnits* held, int table, uint32 unit) {
  return table_at(held, table)->rows->of(unit);
}

}  // namespace dpmix::pg
