// The packed float8[] argument of a statistics aggregate (core's Pass::pack: a frame, then what
// else the aggregate must know), parsed once for all rows of a query.
#pragma once

#include <span>

#include "core/stats/class_moments.hpp"
#include "pg/border/guard.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "utils/array.h"
}

namespace dpmix::pg {

// Lives in a memory context of its own below the function's, with a copy of the array it was made
// from.
template <class Made>
struct PackedArgument {
  MemoryContext context;
  // Comparing many kilobytes for each row would cost more than the row.
  bool constant;
  Datum parameter;  // where a parameter of the scan lies; 0: it is none
  ArrayType* array;
  Made made;
};

inline std::span<const double> numbers_of(const ArrayType* array) {
  return {reinterpret_cast<const double*>(ARR_DATA_PTR(array)),
          static_cast<std::size_t>(ARR_DIMS(array)[0])};
}

// A copy in the context. PV005 unless it has one dimension and no NULLs. aggregate: the name of its
// function.
ArrayType* copy_packed(MemoryContext context, const ArrayType* array, const char* aggregate);

// What `make` fills in from the argument's numbers, for the first row and whenever they change.
// Made needs no destructor. make(numbers, context, made) runs inside guard(); what it keeps is
// allocated in the context, and goes when the argument changes. The only user of fn_extra.
template <class Made, class Make>
const Made* packed_argument(FunctionCallInfo fcinfo, int argument, const char* aggregate,
                            Make make) {
  static_assert(std::is_trivially_destructible_v<Made>);
  using Cache = PackedArgument<Made>;
  auto* cache = static_cast<Cache*>(fcinfo->flinfo->fn_extra);
  if (likely(cache != nullptr &&
             (cache->constant ||
              (cache->parameter != 0 && cache->parameter == PG_GETARG_DATUM(argument))))) {
    return &cache->made;
  }
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(argument);
  if (cache == nullptr || VARSIZE(array) != VARSIZE(cache->array) ||
      memcmp(array, cache->array, VARSIZE(array)) != 0) {
    MemoryContext context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpmix packed argument",
                                                  ALLOCSET_START_SMALL_SIZES);
    MemoryContext before = cache != nullptr ? cache->context : nullptr;
    cache = static_cast<Cache*>(MemoryContextAllocZero(context, sizeof(Cache)));
    cache->context = context;
    cache->constant = constant_argument(fcinfo, argument);
    if (parameter_of_scan(fcinfo, argument)) cache->parameter = PG_GETARG_DATUM(argument);
    cache->array = copy_packed(context, array, aggregate);
    guard([&] { make(numbers_of(cache->array), context, &cache->made); });
    fcinfo->flinfo->fn_extra = cache;
    if (before != nullptr) MemoryContextDelete(before);
  }
  return &cache->made;
}

// Inside guard(): room for a placer's numbers, from a cache line on (10 % faster to read).
double* placer_memory(MemoryContext context, std::size_t doubles);

// The features of a row; NULL when one of them is NULL: the row is missing. PV005 unless there are
// as many as the frame has.
const double* row_features(ArrayType* x, int features);

// A row of so many features, to be filled.
ArrayType* new_row(int features);
inline double* numbers_of_row(ArrayType* row) {
  return reinterpret_cast<double*>(ARR_DATA_PTR(row));
}

// PV005; what: "class moments".
[[noreturn]] void different_frames(const char* what);

}  // namespace dpmix::pg
