#include "pg/units/held_reading.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/replay.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/units/grouping.hpp"
#include "pg/units/kept_rows.hpp"

extern "C" {
#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

Datum as_kind(Oid type, Datum value) {
  switch (type) {
    case INT2OID:
      return Int64GetDatum(DatumGetInt16(value));
    case INT4OID:
      return Int64GetDatum(DatumGetInt32(value));
    default:
      return value;
  }
}

// The low bits of a hash tell, numbers are found by the high ones.
int share_of(const HeldUnits* held, uint64 hash) {
  return (int)(((hash & PG_UINT32_MAX) * (uint64)held->shares) >> 32);
}

bool in_share(const HeldUnits* held, uint64 hash) {
  return share_of(held, hash) == held->share;
}

// Of a row's values; false where one is NULL.
bool read_key(const HeldTable* table, const ValueKinds* kinds, int columns,
              const AttrNumber* column, const Datum* values, const bool* nulls, ReadValue* read) {
  Datum key[INDEX_MAX_KEYS];
  for (int i = 0; i < columns; i++) {
    const int at = column[i] - 1;
    if (nulls[at]) return false;
    key[i] = as_kind(TupleDescAttr(table->type, at)->atttypid, values[at]);
  }
  read_values(kinds, key, read);
  return true;
}

void note_key(HeldTable* table, const Datum* values, const bool* nulls, uint32 unit) {
  ReadValue read[INDEX_MAX_KEYS];
  if (!read_key(table, table->key_kinds, table->key_columns, table->key_column, values, nulls,
                read)) {
    return;
  }
  const uint32 key = add_number(table->key, value_hash(table->key, read), read);
  notes_of(table->key)[key] = unit;
}

// What names a row's unit: the column itself, or a key of the table that it is linked to.
struct UnitNames {
  ValueNumbers* numbers;
  const ValueKinds* kinds;
  int columns;
  const AttrNumber* column;
  bool linked;
};

UnitNames names_in(const HeldUnits* held, const HeldTable* table) {
  const UnitOfRow& unit = table->unit;
  if (unit.column != InvalidAttrNumber) {
    return {held->numbers, held->kinds, 1, &unit.column, false};
  }
  const HeldTable* target = table_at(held, unit.target);
  return {target->key, target->key_kinds, unit.columns, unit.link, true};
}

// kNoNumber: nobody's, or of another share.
uint32 unit_named(const HeldUnits* held, const UnitNames& names, uint64 hash,
                  const ReadValue* read) {
  if (!names.linked) {
    if (!in_share(held, hash)) return kNoNumber;
    const uint32 unit = add_number(names.numbers, hash, read);
    DPMIX_REPLAY_HOOK(see_held(unit, hash));
    return unit;
  }
  const uint32 key = find_number(names.numbers, hash, read);
  return key == kNoNumber ? kNoNumber : (uint32)notes_of(names.numbers)[key];
}

// Of a table that is grouped: the arguments, then which of them are NULL.
void add_row(const HeldUnits* held, HeldTable* table, uint32 unit, const std::byte* row,
             uint32 size) {
  if (table->grouped != NULL) {
    const uint32 arguments = size / (sizeof(Datum) + sizeof(bool));
    const bool* nulls = (const bool*)(row + sizeof(Datum) * arguments);
    add_to_group(table->grouped, held->numbers, unit, (const Datum*)row, nulls);
    return;
  }
  guard([&] { table->rows->add(unit, {row, size}); });
}

// Rows come from anywhere in the table, and the memory of their units is as far apart: it is
// fetched for some of them at once, while the processor has others to do.
struct Waiting {
  static constexpr int kRows = 32, kColumns = 4;
  static constexpr Size kBytes = 16 * 1024;

  int count;
  Size used;
  struct {
    uint64 hash;
    ReadValue read[kColumns];
    uint32 place, size, unit;
  } row[kRows];
  std::byte bytes[kBytes];
};

void add_waiting(const HeldUnits* held, HeldTable* table, const UnitNames& names,
                 Waiting* waiting) {
  for (int i = 0; i < waiting->count; i++) fetch_values(names.numbers, waiting->row[i].hash);
  for (int i = 0; i < waiting->count; i++) {
    auto& row = waiting->row[i];
    row.unit = unit_named(held, names, row.hash, row.read);
    if (row.unit != kNoNumber && table->rows != NULL) table->rows->fetch(row.unit);
  }
  for (int i = 0; i < waiting->count; i++) {
    const auto& row = waiting->row[i];
    if (row.unit != kNoNumber) add_row(held, table, row.unit, waiting->bytes + row.place, row.size);
  }
  waiting->count = 0;
  waiting->used = 0;
}

// Whether a row may wait: what names its unit outlives it, and no other row asks whose it is.
bool may_wait(const HeldTable* table, const UnitNames& names) {
  return table->key == NULL && names.columns <= Waiting::kColumns && are_bits(names.kinds);
}

struct Reading {
  HeldUnits* held;
  HeldTable* table;
  UnitNames names;
  Waiting* waiting;  // NULL: none waits
  Datum* values;     // of all columns
  bool* nulls;
};

void take_values(const Reading& reading, const Datum* read, const bool* missing) {
  const HeldTable* table = reading.table;
  int column = -1, place = 0;
  while ((column = bms_next_member(table->columns, column)) >= 0) {
    const int at = column - 1;
    Datum& value = reading.values[at];
    reading.nulls[at] = missing[place];
    value = read[place++];
    if (!reading.nulls[at] && TupleDescAttr(table->type, at)->attlen == -1) {
      value = PointerGetDatum(detoast_attr((struct varlena*)DatumGetPointer(value)));
    }
  }
}

struct Bytes {
  const std::byte* data;
  uint32 size;
};

Bytes whole_row(const Reading& reading) {
  const MinimalTuple tuple = form_minimal_tuple(reading.table->type, reading.values, reading.nulls);
  return {(const std::byte*)tuple, tuple->t_len};
}

// As add_row() takes them: they are read after the columns.
Bytes arguments_read(const Reading& reading, const Datum* read, const bool* missing) {
  const int columns = bms_num_members(reading.table->columns);
  const auto arguments = (Size)reading.table->grouped->arguments;
  std::byte* made = (std::byte*)palloc(arguments * (sizeof(Datum) + sizeof(bool)) + 1);
  memcpy(made, read + columns, arguments * sizeof(Datum));
  memcpy(made + arguments * sizeof(Datum), missing + columns, arguments * sizeof(bool));
  return {made, (uint32)(arguments * (sizeof(Datum) + sizeof(bool)))};
}

void receive_row(const Reading& reading, const Datum* read, const bool* missing) {
  HeldTable* table = reading.table;
  take_values(reading, read, missing);
  if (is_public(table)) {
    const Bytes row = whole_row(reading);
    add_row(reading.held, table, 0, row.data, row.size);
    return;
  }
  const UnitNames& names = reading.names;
  ReadValue key[INDEX_MAX_KEYS];
  if (!read_key(table, names.kinds, names.columns, names.column, reading.values, reading.nulls,
                key)) {
    return;
  }
  const uint64 hash = value_hash(names.numbers, key);
  if (!names.linked && !in_share(reading.held, hash)) return;
  Waiting* waiting = reading.waiting;
  if (waiting != NULL) fetch_place(names.numbers, hash);
  const Bytes row =
      table->grouped != NULL ? arguments_read(reading, read, missing) : whole_row(reading);
  if (waiting == NULL || MAXALIGN(row.size) > Waiting::kBytes) {
    const uint32 unit = unit_named(reading.held, names, hash, key);
    if (unit == kNoNumber) return;
    if (table->key != NULL) note_key(table, reading.values, reading.nulls, unit);
    add_row(reading.held, table, unit, row.data, row.size);
    return;
  }
  if (waiting->count == Waiting::kRows || waiting->used + MAXALIGN(row.size) > Waiting::kBytes) {
    add_waiting(reading.held, table, names, waiting);
  }
  auto& last = waiting->row[waiting->count++];
  last.hash = hash;
  for (int i = 0; i < names.columns; i++) last.read[i] = key[i];
  last.place = (uint32)waiting->used;
  last.size = row.size;
  if (row.size > 0) memcpy(waiting->bytes + last.place, row.data, row.size);
  waiting->used += MAXALIGN(row.size);
}

// What a scan of the table gives.
int values_read(const HeldTable* table) {
  const int columns = bms_num_members(table->columns);
  return columns + (table->grouped != NULL ? table->grouped->arguments : 0);
}

KeptColumn* kept_columns(const HeldTable* table) {
  KeptColumn* kept = (KeptColumn*)palloc(sizeof(KeptColumn) * values_read(table));
  int column = -1, place = 0;
  while ((column = bms_next_member(table->columns, column)) >= 0) {
    const auto* type = TupleDescAttr(table->type, column - 1);
    kept[place++] = {type->attlen, type->attbyval, type->attalign};
  }
  for (; place < values_read(table); place++) kept[place] = {sizeof(Datum), true, TYPALIGN_DOUBLE};
  return kept;
}

struct Keeping {
  HeldUnits* held;
  HeldTable* table;
  int unit;  // its place among what is read
  Oid type;  // and type
};

void keep(const Keeping& keeping, const Datum* read, const bool* missing) {
  const HeldUnits* held = keeping.held;
  if (missing[keeping.unit]) return;
  const Datum unit = as_kind(keeping.type, read[keeping.unit]);
  ReadValue value;
  read_values(held->kinds, &unit, &value);
  const int share = share_of(held, hash_of_values(held->kinds, held->seed, &value));
  keep_row(keeping.table->kept, share, read, missing);
}

}  // namespace

void read_table(HeldUnits* held, HeldTable* table) {
  const int natts = table->type->natts;
  Reading reading = {.held = held,
                     .table = table,
                     .names = {},
                     .waiting = NULL,
                     .values = (Datum*)palloc0(sizeof(Datum) * natts),
                     .nulls = (bool*)palloc(sizeof(bool) * natts)};
  memset(reading.nulls, true, sizeof(bool) * natts);
  if (!is_public(table)) {
    reading.names = names_in(held, table);
    if (may_wait(table, reading.names)) reading.waiting = (Waiting*)palloc0(sizeof(Waiting));
  }
  const auto receive = [&](const Datum* read, const bool* missing) {
    receive_row(reading, read, missing);
  };
  if (table->kept != NULL) {
    give_kept_rows(table->kept, held->share, receive);
  } else {
    run_inner_scan(table->scan, receive);
  }
  if (reading.waiting != NULL) add_waiting(held, table, reading.names, reading.waiting);
}

void keep_rows_of_shares(HeldUnits* held, HeldTable* table) {
  const double bytes = bytes_of_kept_rows(table) / held->shares;
  table->kept = keep_no_rows(values_read(table), kept_columns(table), held->shares, bytes);
  const AttrNumber unit = table->unit.column;
  const Oid type = TupleDescAttr(table->type, unit - 1)->atttypid;
  const Keeping keeping = {held, table, bms_member_index(table->columns, unit), type};
  run_inner_scan(table->scan,
                 [&](const Datum* read, const bool* missing) { keep(keeping, read, missing); });
}

double bytes_of_kept_rows(const HeldTable* table) {
  const KeptColumn* columns = kept_columns(table);
  double each = bytes_of_kept_row(values_read(table), columns), values = 0;
  for (int i = 0; i < values_read(table); i++) {
    if (columns[i].length == -1) values = public_size(table->relation);
  }
  return values + each * most_rows_in(table->relation);
}

}  // namespace dpmix::pg
