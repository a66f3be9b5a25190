#include "pg/units/kept_rows.hpp"

extern "C" {
#include "access/tupmacs.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace dpmix::pg {
namespace {

struct Chunk {
  Chunk* next;
  Size used, size;
  char data[FLEXIBLE_ARRAY_MEMBER];
};

struct Part {
  Chunk *first, *last;
};

constexpr Size kLeastChunk = 1024, kMostChunk = 1024 * 1024;

Size chunk_size(double bytes) {
  return (Size)Min(Max(bytes / 8, (double)kLeastChunk), (double)kMostChunk);
}

}  // namespace

// A row is a bit for each column, set where it is NULL, and the values of the others: those that
// are passed by reference are aligned.
struct KeptRows {
  MemoryContext context;
  Size chunk;
  Part* part;
  int columns;
  KeptColumn column[FLEXIBLE_ARRAY_MEMBER];
};

namespace {

Size bits_of_nulls(const KeptRows* kept) {
  return (Size)((kept->columns + 7) / 8);
}

// Where a value begins that may begin at `at`.
Size place_of(const KeptColumn& column, Size at) {
  return column.by_value ? at : att_align_nominal(at, column.align);
}

Size length_of(const KeptColumn& column, const char* value) {
  return column.length > 0 ? (Size)column.length : VARSIZE_ANY(value);
}

Size size_of_row(const KeptRows* kept, const Datum* values, const bool* nulls) {
  Size size = bits_of_nulls(kept);
  for (int i = 0; i < kept->columns; i++) {
    const KeptColumn& column = kept->column[i];
    if (nulls[i]) continue;
    size += column.by_value ? (Size)column.length
                            : MAXIMUM_ALIGNOF + length_of(column, DatumGetPointer(values[i]));
  }
  return size;
}

void put_value(char* to, const KeptColumn& column, Datum value) {
  switch (column.length) {
    case 1: {
      const char byte = DatumGetChar(value);
      memcpy(to, &byte, sizeof byte);
      break;
    }
    case 2: {
      const int16 number = DatumGetInt16(value);
      memcpy(to, &number, sizeof number);
      break;
    }
    case 4: {
      const int32 number = DatumGetInt32(value);
      memcpy(to, &number, sizeof number);
      break;
    }
    default:
      memcpy(to, &value, sizeof value);
  }
}

Datum value_at(const char* from, const KeptColumn& column) {
  switch (column.length) {
    case 1:
      return CharGetDatum(*from);
    case 2: {
      int16 number;
      memcpy(&number, from, sizeof number);
      return Int16GetDatum(number);
    }
    case 4: {
      int32 number;
      memcpy(&number, from, sizeof number);
      return Int32GetDatum(number);
    }
    default: {
      Datum value;
      memcpy(&value, from, sizeof value);
      return value;
    }
  }
}

// The chunk of a part that has room for a row.
Chunk* chunk_with_room(KeptRows* kept, Part* part, Size size) {
  Chunk* last = part->last;
  if (last != NULL && last->used + size <= last->size) return last;
  const Size all = Max(kept->chunk, size + offsetof(Chunk, data));
  Chunk* made = (Chunk*)MemoryContextAllocHuge(kept->context, all);
  made->next = NULL;
  made->used = 0;
  made->size = all - offsetof(Chunk, data);
  if (last != NULL) {
    last->next = made;
  } else {
    part->first = made;
  }
  return part->last = made;
}

// Reads the row that begins there; returns its end.
Size read_row(const KeptRows* kept, const Chunk* chunk, Size begin, Datum* values, bool* nulls) {
  const char* data = chunk->data;
  const auto* bits = (const uint8*)data + begin;
  Size at = begin + bits_of_nulls(kept);
  for (int i = 0; i < kept->columns; i++) {
    const KeptColumn& column = kept->column[i];
    nulls[i] = (bits[i / 8] >> (i % 8)) & 1;
    if (nulls[i]) continue;
    at = place_of(column, at);
    if (column.by_value) {
      values[i] = value_at(data + at, column);
      at += column.length;
    } else {
      values[i] = PointerGetDatum(data + at);
      at += length_of(column, data + at);
    }
  }
  return at;
}

}  // namespace

KeptRows* keep_no_rows(int columns, const KeptColumn* column, int parts, double bytes) {
  KeptRows* kept =
      (KeptRows*)palloc(offsetof(KeptRows, column) + sizeof(KeptColumn) * (Size)columns);
  kept->context = CurrentMemoryContext;
  kept->chunk = chunk_size(bytes);
  kept->part = (Part*)palloc0(sizeof(Part) * (Size)parts);
  kept->columns = columns;
  memcpy(kept->column, column, sizeof(KeptColumn) * (Size)columns);
  return kept;
}

void keep_row(KeptRows* kept, int part, const Datum* values, const bool* nulls) {
  Chunk* chunk = chunk_with_room(kept, &kept->part[part], size_of_row(kept, values, nulls));
  char* data = chunk->data;
  auto* bits = (uint8*)data + chunk->used;
  memset(bits, 0, bits_of_nulls(kept));
  Size at = chunk->used + bits_of_nulls(kept);
  for (int i = 0; i < kept->columns; i++) {
    const KeptColumn& column = kept->column[i];
    if (nulls[i]) {
      bits[i / 8] |= (uint8)(1 << (i % 8));
      continue;
    }
    at = place_of(column, at);
    if (column.by_value) {
      put_value(data + at, column, values[i]);
      at += column.length;
    } else {
      const char* value = DatumGetPointer(values[i]);
      memcpy(data + at, value, length_of(column, value));
      at += length_of(column, value);
    }
  }
  chunk->used = at;
}

void give_kept_rows(const KeptRows* kept, int part, RowReceiver receive) {
  MemoryContext of_row =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix kept row", ALLOCSET_DEFAULT_SIZES);
  Datum* values = (Datum*)palloc0(sizeof(Datum) * (Size)kept->columns);
  bool* nulls = (bool*)palloc(sizeof(bool) * (Size)kept->columns);
  MemoryContext outer = MemoryContextSwitchTo(of_row);
  for (const Chunk* chunk = kept->part[part].first; chunk != NULL; chunk = chunk->next) {
    for (Size at = 0; at < chunk->used;) {
      at = read_row(kept, chunk, at, values, nulls);
      receive(values, nulls);
      MemoryContextReset(of_row);
    }
    CHECK_FOR_INTERRUPTS();
  }
  MemoryContextSwitchTo(outer);
  MemoryContextDelete(of_row);
}

double bytes_of_kept_row(int columns, const KeptColumn* column) {
  double bytes = (columns + 7) / 8;
  for (int i = 0; i < columns; i++) {
    if (column[i].by_value) {
      bytes += column[i].length;
    } else {
      bytes += MAXIMUM_ALIGNOF + Max(column[i].length, (double)VARHDRSZ);
    }
  }
  return bytes;
}

double spare_bytes_of_kept(int parts, double bytes) {
  return parts * (sizeof(Part) + (double)chunk_size(bytes));
}

}  // namespace dpmix::pg
