#include "pg/units/value_numbers.hpp"

#include <memory>
#include <vector>

#include "core/base/hash_index.hpp"
#include "pg/border/context_object.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

// How values of a type are told apart.
enum class Way {
  bits,      // those of a Datum: whole numbers, and what is one inside
  bytes,     // where it points: texts
  functions  // the type's
};

Way way_of(Oid equality) {
  switch (equality) {
    case F_BOOLEQ:
    case F_CHAREQ:
    case F_INT2EQ:
    case F_INT4EQ:
    case F_INT8EQ:
    case F_OIDEQ:
    case F_ENUM_EQ:
    case F_CASH_EQ:
    case F_DATE_EQ:
    case F_TIME_EQ:
    case F_TIMESTAMP_EQ:
    case F_TIMESTAMPTZ_EQ:
      return Way::bits;
    case F_TEXTEQ:
    case F_BYTEAEQ:
    case F_UUID_EQ:
      return Way::bytes;
    default:
      return Way::functions;
  }
}

struct ValueKind {
  Way way;
  bool by_value;
  int16 length;
  Oid collation;
  FmgrInfo *hash, *equal;
  double width;
};

ValueKind kind_of(Oid type) {
  TypeCacheEntry* entry =
      lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);
  return {.way = way_of(entry->eq_opr_finfo.fn_oid),
          .by_value = entry->typbyval,
          .length = entry->typlen,
          .collation = OidIsValid(get_typcollation(type)) ? C_COLLATION_OID : InvalidOid,
          .hash = &entry->hash_extended_proc_finfo,
          .equal = &entry->eq_opr_finfo,
          .width = entry->typbyval ? 0. : MAXALIGN(get_typavgwidth(type, -1) + VARHDRSZ)};
}

// The same bits for the same number, whoever made the Datum.
uint64 bits_of(const ValueKind& kind, Datum value) {
  switch (kind.length) {
    case 1:
      return DatumGetUInt8(value);
    case 2:
      return DatumGetUInt16(value);
    case 4:
      return DatumGetUInt32(value);
    default:
      return (uint64)value;
  }
}

ReadValue read_value(const ValueKind& kind, Datum value) {
  if (kind.way == Way::bits) return {bits_of(kind, value), 0};
  if (kind.length == -1) value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
  if (kind.way == Way::functions) return {(uint64)value, 0};
  char* data = DatumGetPointer(value);
  if (kind.length > 0) return {(uint64)data, (Size)kind.length};
  return {(uint64)VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data)};
}

uint64 hash_of(const ValueKind& kind, const ReadValue& value, uint64 seed) {
  switch (kind.way) {
    case Way::bits:
      return value.word;
    case Way::bytes:
      return hash_bytes_extended((const unsigned char*)value.word, (int)value.bytes, seed);
    case Way::functions:
      return DatumGetUInt64(
          FunctionCall2Coll(kind.hash, kind.collation, (Datum)value.word, UInt64GetDatum(seed)));
  }
  pg_unreachable();
}

}  // namespace

struct ValueKinds {
  int columns;
  bool all_bits;
  ValueKind kind[FLEXIBLE_ARRAY_MEMBER];
};

// The words of each tuple are its notes; a word for each column, its bits or where they are (bytes:
// after how many); then, unless bits are all there is, its hash.
struct ValueNumbers {
  const ValueKinds* kinds;
  uint64 seed;
  int notes;
  HashIndex index;
  uint32 last = kNoNumber;
  Blocks<uint64> words;
  std::vector<std::unique_ptr<uint64[]>> chunks;
  Size left = 0;  // bytes of the last chunk
  char* free = nullptr;

  int width() const { return notes + kinds->columns + !kinds->all_bits; }
  uint64 word(uint32 number, int column) const {
    return words[(Size)number * width() + notes + column];
  }
  char* room(Size size) {
    constexpr Size kChunk = 64 * 1024;
    size = MAXALIGN(size);
    if (size > left) {
      left = Max(size, kChunk);
      chunks.push_back(std::make_unique<uint64[]>(left / sizeof(uint64)));
      free = (char*)chunks.back().get();
    }
    char* made = free;
    free += size;
    left -= size;
    return made;
  }
};

namespace {

bool is_equal(const ValueKind& kind, uint64 word, const ReadValue& value) {
  switch (kind.way) {
    case Way::bits:
      return word == value.word;
    case Way::bytes:
      return *(const Size*)word == value.bytes &&
             memcmp((const Size*)word + 1, (const char*)value.word, value.bytes) == 0;
    case Way::functions:
      return DatumGetBool(
          FunctionCall2Coll(kind.equal, kind.collation, (Datum)word, (Datum)value.word));
  }
  pg_unreachable();
}

bool has_number(const ValueNumbers* numbers, const ReadValue* values, uint32 number) {
  for (int i = 0; i < numbers->kinds->columns; i++) {
    if (!is_equal(numbers->kinds->kind[i], numbers->word(number, i), values[i])) return false;
  }
  return true;
}

uint64 joined_hash(uint64 seed, uint64 hash, uint64 more) {
  return mix_bits(hash ^ more) + seed;
}

// The hash of the tuple that has the number; C++ alone.
uint64 stored_hash(const ValueNumbers* numbers, uint32 number) {
  const ValueKinds* kinds = numbers->kinds;
  if (!kinds->all_bits) return numbers->word(number, kinds->columns);
  uint64 hash = numbers->seed;
  for (int i = 0; i < kinds->columns; i++) {
    hash = joined_hash(numbers->seed, hash, numbers->word(number, i));
  }
  return hash;
}

uint64 stored_word(ValueNumbers* numbers, const ValueKind& kind, const ReadValue& value) {
  if (kind.way == Way::bytes) {
    char* copy = numbers->room(sizeof(Size) + value.bytes);
    *(Size*)copy = value.bytes;
    memcpy(copy + sizeof(Size), (const char*)value.word, value.bytes);
    return (uint64)copy;
  }
  if (kind.by_value) return value.word;
  const char* data = (const char*)value.word;
  const Size size = kind.length == -1 ? VARSIZE_ANY(data) : (Size)kind.length;
  return (uint64)memcpy(numbers->room(size), data, size);
}

}  // namespace

bool has_hashes(Oid type) {
  const TypeCacheEntry* entry =
      lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC | TYPECACHE_EQ_OPR_FINFO);
  return OidIsValid(entry->hash_extended_proc) ||
         way_of(entry->eq_opr_finfo.fn_oid) != Way::functions;
}

ValueKinds* value_kinds(int columns, const Oid* types) {
  ValueKinds* made = (ValueKinds*)palloc(offsetof(ValueKinds, kind) + sizeof(ValueKind) * columns);
  made->columns = columns;
  made->all_bits = true;
  for (int i = 0; i < columns; i++) {
    made->kind[i] = kind_of(types[i]);
    made->all_bits = made->all_bits && made->kind[i].way == Way::bits;
  }
  return made;
}

bool has_even_hashes(const ValueKinds* kinds) {
  for (int i = 0; i < kinds->columns; i++) {
    if (kinds->kind[i].way == Way::functions) return false;
  }
  return true;
}

bool are_bits(const ValueKinds* kinds) {
  return kinds->all_bits;
}

double bytes_of_value(const ValueKinds* kinds) {
  double bytes = HashIndex::kBytesEach + sizeof(uint64) * (1 + kinds->columns + !kinds->all_bits);
  for (int i = 0; i < kinds->columns; i++) bytes += kinds->kind[i].width;
  return bytes;
}

bool has_texts(const ValueKinds* kinds) {
  for (int i = 0; i < kinds->columns; i++) {
    if (kinds->kind[i].length == -1) return true;
  }
  return false;
}

ValueNumbers* value_numbers(const ValueKinds* kinds, uint64 seed, int notes) {
  return context_object<ValueNumbers>([&] {
    return new ValueNumbers{
        .kinds = kinds, .seed = seed, .notes = notes, .index = {}, .words = {}, .chunks = {}};
  });
}

void read_values(const ValueKinds* kinds, const Datum* values, ReadValue* read) {
  for (int i = 0; i < kinds->columns; i++) read[i] = read_value(kinds->kind[i], values[i]);
}

uint32 last_number(const ValueNumbers* numbers, const ReadValue* values) {
  const uint32 last = numbers->last;
  return last != kNoNumber && has_number(numbers, values, last) ? last : kNoNumber;
}

uint64 hash_of_values(const ValueKinds* kinds, uint64 seed, const ReadValue* values) {
  uint64 hash = seed;
  for (int i = 0; i < kinds->columns; i++) {
    hash = joined_hash(seed, hash, hash_of(kinds->kind[i], values[i], seed));
  }
  return hash;
}

uint64 value_hash(const ValueNumbers* numbers, const ReadValue* values) {
  return hash_of_values(numbers->kinds, numbers->seed, values);
}

void fetch_place(const ValueNumbers* numbers, uint64 hash) {
  numbers->index.fetch(hash);
}

void fetch_values(const ValueNumbers* numbers, uint64 hash) {
  const uint32 number = numbers->index.first_guess(hash);
  if (number != kNoNumber) __builtin_prefetch(&numbers->words[(Size)number * numbers->width()]);
}

uint32 find_number(ValueNumbers* numbers, uint64 hash, const ReadValue* values) {
  static_assert(kNoNumber == HashIndex::kNone);
  return numbers->last = numbers->index.find(
             hash, [&](uint32 number) { return has_number(numbers, values, number); });
}

uint32 add_number(ValueNumbers* numbers, uint64 hash, const ReadValue* values) {
  const uint32 known = find_number(numbers, hash, values);
  if (known != kNoNumber) return known;
  return numbers->last = guard([&] {
           const uint32 added = numbers->index.add(
               hash, [&](uint32 number) { return stored_hash(numbers, number); });
           for (int i = 0; i < numbers->notes; i++) numbers->words.push_back(0);
           for (int i = 0; i < numbers->kinds->columns; i++) {
             numbers->words.push_back(stored_word(numbers, numbers->kinds->kind[i], values[i]));
           }
           if (!numbers->kinds->all_bits) numbers->words.push_back(hash);
           return added;
         });
}

NumberNotes notes_of(ValueNumbers* numbers, int note) {
  return NumberNotes(&numbers->words, numbers->width(), note);
}

}  // namespace dpmix::pg
