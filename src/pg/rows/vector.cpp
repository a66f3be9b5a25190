// What a scan of a model makes of each row, in place of slower SQL: the number of its label among
// the declared categories, and its features as one array.
#include "pg/border/guard.hpp"

extern "C" {
#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
PG_FUNCTION_INFO_V1(dpmix_class_number);
PG_FUNCTION_INFO_V1(dpmix_row_vector);
}

namespace dpmix::pg {
namespace {

// The categories of a query: integers close to each other as an array of their numbers, all else as
// a hash table with open addressing, at most half full. All in a memory context of its own.
struct Categories {
  MemoryContext context;
  bool constant;     // comparing the array for each row would cost more than the row
  ArrayType* array;  // what it was made from
  bool bytes;        // texts, equal when their bytes are: compared without calls
  Size longest;      // the longest of these, with a header
  int16 length;      // bytes of an integer that is a place in the array
  int64 first;       // the integer of the first place
  uint64 places;     // in the array; 0: there is none
  int32* number_at;  // -1: no category
  FmgrInfo hash, equal;
  uint32 mask;
  struct Place {
    uint32 hash;
    int32 number;  // -1: free
    Datum value;
  } * place;
};

struct Bytes {
  const char* data;
  int size;
};

Bytes bytes_of(Datum text) {
  const struct varlena* value = (const struct varlena*)DatumGetPointer(text);
  return {VARDATA_ANY(value), (int)VARSIZE_ANY_EXHDR(value)};
}

bool same_value(Categories* categories, Oid collation, Datum value, Datum other) {
  if (!categories->bytes) {
    return DatumGetBool(FunctionCall2Coll(&categories->equal, collation, value, other));
  }
  const Bytes a = bytes_of(value), b = bytes_of(other);
  return a.size == b.size && memcmp(a.data, b.data, (Size)a.size) == 0;
}

uint32 hash_of(Categories* categories, Oid collation, Datum value) {
  if (categories->bytes) {
    const Bytes text = bytes_of(value);
    return hash_bytes((const unsigned char*)text.data, text.size);
  }
  return DatumGetUInt32(FunctionCall1Coll(&categories->hash, collation, value));
}

// The place of a value, or the free one where it would stand.
Categories::Place* place_of(Categories* categories, Oid collation, uint32 hash, Datum value) {
  for (uint32 at = hash & categories->mask;; at = (at + 1) & categories->mask) {
    Categories::Place* place = &categories->place[at];
    if (place->number < 0) return place;
    if (place->hash == hash && same_value(categories, collation, place->value, value)) return place;
  }
}

// Types whose values are integers, equal when these are.
bool is_integer(Oid type) {
  return type == BOOLOID || type == INT2OID || type == INT4OID || type == INT8OID ||
         type == DATEOID;
}

int64 integer_of(Datum value, int16 length) {
  switch (length) {
    case 1:
      return DatumGetBool(value);
    case 2:
      return DatumGetInt16(value);
    case 4:
      return DatumGetInt32(value);
    default:
      return DatumGetInt64(value);
  }
}

// Makes the array, unless most of its places would be of no category.
void lay_out_integers(Categories* categories, const Datum* value, const bool* null, int count) {
  constexpr uint64 kPlacesForOne = 4, kFew = 64;
  bool any = false;
  int64 least = 0, most = 0;
  for (int k = 0; k < count; k++) {
    if (null[k]) continue;
    const int64 x = integer_of(value[k], categories->length);
    least = any ? Min(least, x) : x;
    most = any ? Max(most, x) : x;
    any = true;
  }
  const uint64 span = (uint64)most - (uint64)least;
  if (!any || span >= kPlacesForOne * (uint64)count + kFew) return;
  categories->first = least;
  categories->places = span + 1;
  categories->number_at = (int32*)palloc(sizeof(int32) * categories->places);
  for (uint64 at = 0; at <= span; at++) categories->number_at[at] = -1;
  for (int k = count - 1; k >= 0; k--) {  // the first of equals
    if (null[k]) continue;
    const int64 x = integer_of(value[k], categories->length);
    categories->number_at[(uint64)x - (uint64)least] = k;
  }
}

// A parameter is not enough: PL/pgSQL keeps an expression's state while its variables change.
bool is_constant(const FmgrInfo* function, int argument) {
  const Node* call = (const Node*)function->fn_expr;
  return call != NULL && IsA(call, FuncExpr) &&
         IsA(list_nth(((const FuncExpr*)call)->args, argument), Const);
}

Categories* make_categories(FunctionCallInfo fcinfo, const ArrayType* array) {
  const Oid type = ARR_ELEMTYPE(array);
  const TypeCacheEntry* known = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);
  const Oid equal = OidIsValid(known->eq_opr) ? get_opcode(known->eq_opr) : InvalidOid;
  if (!OidIsValid(equal) || !OidIsValid(known->hash_proc)) {
    refuse_argument("categories cannot be compared",
                    psprintf("Values of type %s have no hash function.", format_type_be(type)),
                    "Use texts, enums, integers, numerics, booleans, dates or uuids.");
  }
  const Oid collation = PG_GET_COLLATION();
  MemoryContext context =
      AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpmix categories", ALLOCSET_SMALL_SIZES);
  MemoryContext outer = MemoryContextSwitchTo(context);
  Categories* categories = (Categories*)palloc0(sizeof(Categories));
  categories->context = context;
  categories->constant = is_constant(fcinfo->flinfo, 0);
  categories->array = (ArrayType*)palloc(VARSIZE(array));
  memcpy(categories->array, array, VARSIZE(array));
  categories->bytes = known->hash_proc == F_HASHTEXT && OidIsValid(collation) &&
                      get_collation_isdeterministic(collation);
  fmgr_info_cxt(known->hash_proc, &categories->hash, context);
  fmgr_info_cxt(equal, &categories->equal, context);
  Datum* value;
  bool* null;
  int count;
  deconstruct_array(categories->array, type, known->typlen, known->typbyval, known->typalign,
                    &value, &null, &count);
  categories->length = known->typlen;
  if (is_integer(type)) lay_out_integers(categories, value, null, count);
  if (categories->places > 0) {
    MemoryContextSwitchTo(outer);
    return categories;
  }
  const uint32 size = pg_nextpower2_32(2 * (uint32)count + 2);
  categories->mask = size - 1;
  categories->place = (Categories::Place*)palloc(size * sizeof(Categories::Place));
  for (uint32 at = 0; at < size; at++) categories->place[at].number = -1;
  for (int k = 0; k < count; k++) {
    if (null[k]) continue;
    const uint32 hash = hash_of(categories, collation, value[k]);
    Categories::Place* place = place_of(categories, collation, hash, value[k]);
    if (place->number < 0) *place = {hash, k, value[k]};  // the first of equals
    if (categories->bytes) {
      categories->longest = Max(categories->longest, toast_raw_datum_size(value[k]));
    }
  }
  MemoryContextSwitchTo(outer);
  return categories;
}

Categories* categories_of(FunctionCallInfo fcinfo) {
  Categories* categories = (Categories*)fcinfo->flinfo->fn_extra;
  if (likely(categories != NULL && categories->constant)) return categories;
  const ArrayType* array = PG_GETARG_ARRAYTYPE_P(0);
  if (categories == NULL || VARSIZE(array) != VARSIZE(categories->array) ||
      memcmp(array, categories->array, VARSIZE(array)) != 0) {
    Categories* made = make_categories(fcinfo, array);
    if (categories != NULL) MemoryContextDelete(categories->context);
    fcinfo->flinfo->fn_extra = categories = made;
  }
  return categories;
}

void require_numbers(FunctionCallInfo fcinfo) {
  bool good = !get_fn_expr_variadic(fcinfo->flinfo);
  for (int i = 0; good && i < PG_NARGS(); i++) {
    good = get_fn_expr_argtype(fcinfo->flinfo, i) == FLOAT8OID;
  }
  if (!good) {
    refuse_argument("a row's features must be of type float8", "At least one argument is not.",
                    "Convert each of them with ::float8.");
  }
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_class_number(PG_FUNCTION_ARGS) {  // strict
  Categories* categories = categories_of(fcinfo);
  Datum value = PG_GETARG_DATUM(1);
  if (categories->places > 0) {
    const int64 x = integer_of(value, categories->length);
    const uint64 at = (uint64)x - (uint64)categories->first;
    const int32 number = at < categories->places ? categories->number_at[at] : -1;
    if (number < 0) PG_RETURN_NULL();
    PG_RETURN_INT32(number);
  }
  if (categories->bytes) {
    // A text of another length is no category, and is not made whole.
    if (toast_raw_datum_size(value) > categories->longest) PG_RETURN_NULL();
    value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
  }
  const uint32 hash = hash_of(categories, PG_GET_COLLATION(), value);
  const Categories::Place* place = place_of(categories, PG_GET_COLLATION(), hash, value);
  if (value != PG_GETARG_DATUM(1))
    pfree(DatumGetPointer(value));  // a query has many calls of a row
  if (place->number < 0) PG_RETURN_NULL();
  PG_RETURN_INT32(place->number);
}

Datum dpmix_row_vector(PG_FUNCTION_ARGS) {
  const int size = PG_NARGS();
  if (unlikely(fcinfo->flinfo->fn_extra == NULL)) {
    require_numbers(fcinfo);
    fcinfo->flinfo->fn_extra = fcinfo->flinfo;  // once is enough
  }
  const Size bytes = ARR_OVERHEAD_NONULLS(1) + sizeof(float8) * (Size)size;
  ArrayType* array = (ArrayType*)palloc(bytes);
  SET_VARSIZE(array, bytes);
  array->ndim = 1;
  array->dataoffset = 0;
  array->elemtype = FLOAT8OID;
  ARR_DIMS(array)[0] = size;
  ARR_LBOUND(array)[0] = 1;
  float8* x = (float8*)ARR_DATA_PTR(array);
  for (int i = 0; i < size; i++) {
    if (PG_ARGISNULL(i)) PG_RETURN_NULL();
    x[i] = PG_GETARG_FLOAT8(i);
  }
  PG_RETURN_POINTER(array);
}
}
