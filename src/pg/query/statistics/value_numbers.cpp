#include "pg/query/statistics/value_numbers.hpp"

#include <memory>
#include <vector>

#include "core/base/blocks.hpp"
#include "core/base/hash_index.hpp"
#include "pg/border/context_object.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

// Whole numbers, and what is one inside: equal if their bits are.
bool is_plain(Oid equality) {
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
      return true;
    default:
      return false;
  }
}

struct ValueKind {
  bool plain, by_value;
  int16 length;
  Oid collation;
  const FmgrInfo *hash, *equal;  // unless plain
  double width;
};

ValueKind kind_of(Oid type) {
  const TypeCacheEntry* entry =
      lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);
  ValueKind kind = {};
  kind.by_value = entry->typbyval;
  kind.length = entry->typlen;
  kind.plain = kind.by_value && is_plain(entry->eq_opr_finfo.fn_oid);
  if (!kind.plain) {
    kind.hash = &entry->hash_extended_proc_finfo;
    kind.equal = &entry->eq_opr_finfo;
  }
  kind.collation = OidIsValid(get_typcollation(type)) ? C_COLLATION_OID : InvalidOid;
  kind.width = kind.by_value ? 0 : MAXALIGN(get_typavgwidth(type, -1) + VARHDRSZ);
  return kind;
}

// The same bits for the same number, whoever made the Datum.
uint64 plain_bits(const ValueKind& kind, Datum value) {
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

Size size_of(const ValueKind& kind, Datum value) {
  return kind.length == -1 ? VARSIZE_ANY(DatumGetPointer(value)) : (Size)kind.length;
}

}  // namespace

struct ValueKinds {
  int columns;
  bool plain;  // each of them
  ValueKind kind[FLEXIBLE_ARRAY_MEMBER];
};

// Of each tuple a word for each column, its bits or where they are; then, unless all are plain, its
// hash.
struct ValueNumbers {
  const ValueKinds* kinds;
  uint64 seed;
  HashIndex index;
  Blocks<uint64> words;
  std::vector<std::unique_ptr<uint64[]>> chunks;
  Size left = 0;  // bytes of the last chunk
  char* free = nullptr;

  int width() const { return kinds->columns + !kinds->plain; }
  uint64 word(uint32 number, int column) const { return words[(Size)number * width() + column]; }
  void* room(Size size) {
    constexpr Size kChunk = 64 * 1024;
    size = MAXALIGN(size);
    if (size > left) {
      left = Max(size, kChunk);
      chunks.push_back(std::make_unique<uint64[]>(left / sizeof(uint64)));
      free = (char*)chunks.back().get();
    }
    void* made = free;
    free += size;
    left -= size;
    return made;
  }
};

namespace {

bool is_equal(const ValueKind& kind, uint64 word, Datum value) {
  if (kind.plain) return word == plain_bits(kind, value);
  return DatumGetBool(FunctionCall2Coll((FmgrInfo*)kind.equal, kind.collation, (Datum)word, value));
}

// Of a stored tuple; C++ alone.
uint64 stored_hash(const ValueNumbers* numbers, uint32 number) {
  const ValueKinds* kinds = numbers->kinds;
  if (!kinds->plain) return numbers->word(number, kinds->columns);
  uint64 hash = numbers->seed;
  for (int i = 0; i < kinds->columns; i++) {
    hash = mix_bits(hash ^ numbers->word(number, i)) + numbers->seed;
  }
  return hash;
}

}  // namespace

bool has_hashes(Oid type) {
  const TypeCacheEntry* entry =
      lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC | TYPECACHE_EQ_OPR_FINFO);
  return OidIsValid(entry->hash_extended_proc) ||
         (entry->typbyval && is_plain(entry->eq_opr_finfo.fn_oid));
}

ValueKinds* value_kinds(int columns, const Oid* types) {
  ValueKinds* made = (ValueKinds*)palloc(offsetof(ValueKinds, kind) + sizeof(ValueKind) * columns);
  made->columns = columns;
  made->plain = true;
  for (int i = 0; i < columns; i++) {
    made->kind[i] = kind_of(types[i]);
    made->plain = made->plain && made->kind[i].plain;
  }
  return made;
}

double bytes_of_value(const ValueKinds* kinds) {
  double bytes = HashIndex::kBytesEach + sizeof(uint64) * (kinds->columns + !kinds->plain);
  for (int i = 0; i < kinds->columns; i++) bytes += kinds->kind[i].width;
  return bytes;
}

ValueNumbers* value_numbers(const ValueKinds* kinds, uint64 seed) {
  return context_object<ValueNumbers>([&] { return new ValueNumbers{kinds, seed, {}, {}, {}}; });
}

uint64 value_hash(const ValueNumbers* numbers, const Datum* values) {
  uint64 hash = numbers->seed;
  for (int i = 0; i < numbers->kinds->columns; i++) {
    const ValueKind& kind = numbers->kinds->kind[i];
    const uint64 bits =
        kind.plain ? plain_bits(kind, values[i])
                   : DatumGetUInt64(FunctionCall2Coll((FmgrInfo*)kind.hash, kind.collation,
                                                      values[i], UInt64GetDatum(numbers->seed)));
    hash = mix_bits(hash ^ bits) + numbers->seed;
  }
  return hash;
}

uint32 find_number(const ValueNumbers* numbers, uint64 hash, const Datum* values) {
  const ValueKinds* kinds = numbers->kinds;
  return numbers->index.find(hash, [&](uint32 number) {
    for (int i = 0; i < kinds->columns; i++) {
      if (!is_equal(kinds->kind[i], numbers->word(number, i), values[i])) return false;
    }
    return true;
  });
}

uint32 add_number(ValueNumbers* numbers, uint64 hash, const Datum* values) {
  const uint32 known = find_number(numbers, hash, values);
  if (known != HashIndex::kNone) return known;
  const ValueKinds* kinds = numbers->kinds;
  Datum* whole = (Datum*)values;
  if (!kinds->plain) {
    whole = (Datum*)palloc(sizeof(Datum) * kinds->columns);
    for (int i = 0; i < kinds->columns; i++) {
      const bool packed = !kinds->kind[i].by_value && kinds->kind[i].length == -1;
      whole[i] = packed ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(values[i])) : values[i];
    }
  }
  return guard([&] {
    const uint32 added =
        numbers->index.add(hash, [&](uint32 number) { return stored_hash(numbers, number); });
    for (int i = 0; i < kinds->columns; i++) {
      const ValueKind& kind = kinds->kind[i];
      uint64 word = kind.plain ? plain_bits(kind, whole[i]) : (uint64)whole[i];
      if (!kind.by_value) {
        const Size size = size_of(kind, whole[i]);
        void* copy = numbers->room(size);
        memcpy(copy, DatumGetPointer(whole[i]), size);
        word = (uint64)copy;
      }
      numbers->words.push_back(word);
    }
    if (!kinds->plain) numbers->words.push_back(hash);
    return added;
  });
}

}  // namespace dpmix::pg
