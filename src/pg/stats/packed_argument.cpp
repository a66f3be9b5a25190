#include "pg/stats/packed_argument.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {

ArrayType* copy_packed(MemoryContext context, const ArrayType* array, const char* aggregate) {
  if (ARR_NDIM(array) != 1 || array_contains_nulls(const_cast<ArrayType*>(array))) {
    refuse_argument(psprintf("invalid frame of dpmix_internal.%s", aggregate),
                    "The frame must be a one-dimensional array without NULLs.",
                    psprintf("Use the layout in the comment on dpmix_internal.%s.", aggregate));
  }
  auto* copy = static_cast<ArrayType*>(MemoryContextAlloc(context, VARSIZE(array)));
  memcpy(copy, array, VARSIZE(array));
  return copy;
}

double* placer_memory(MemoryContext context, std::size_t doubles) {
  constexpr Size line = 64;
  void* memory = nullptr;
  postgres([&] { memory = MemoryContextAlloc(context, doubles * sizeof(double) + line); });
  return reinterpret_cast<double*>(TYPEALIGN(line, memory));
}

const double* row_features(ArrayType* x, int features) {
  if (unlikely(ARR_NDIM(x) != 1 || ARR_DIMS(x)[0] != features)) {
    refuse_argument("rows must have as many features as the frame",
                    psprintf("Features of the frame: %d.", features),
                    "Pass one float8 array with an element for each feature.");
  }
  if (array_contains_nulls(x)) return nullptr;
  return reinterpret_cast<const double*>(ARR_DATA_PTR(x));
}

ArrayType* new_row(int features) {
  const Size bytes = ARR_OVERHEAD_NONULLS(1) + sizeof(float8) * static_cast<Size>(features);
  auto* row = static_cast<ArrayType*>(palloc(bytes));
  SET_VARSIZE(row, bytes);
  row->ndim = 1;
  row->dataoffset = 0;
  row->elemtype = FLOAT8OID;
  ARR_DIMS(row)[0] = features;
  ARR_LBOUND(row)[0] = 1;
  return row;
}

void different_frames(const char* what) {
  refuse_argument(psprintf("the frame of %s must be the same for all rows", what), NULL,
                  "Pass one constant frame.");
}

}  // namespace dpmix::pg
