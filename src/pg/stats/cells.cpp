// cells(x, frame).
#include "core/input/cell_grid.hpp"
#include "core/input/moment_frame_placer.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_cells_add);
}

namespace dpmix::pg {
namespace {

struct Cutting {
  int views, axes, side, bins;
  int64 resolution;
  uint64 fingerprint;
  FramePlacer placer;
};

void make_cutting(std::span<const double> packed, MemoryContext context, Cutting* cutting) {
  const CellGrid grid = CellGrid::unpack(packed);
  *cutting = {
      static_cast<int>(grid.frame.classes.size()),
      grid.axes,
      grid.side,
      grid.bins(),
      grid.frame.resolution,
      fingerprint(packed),
      FramePlacer(grid.frame, placer_memory(context, FramePlacer::memory_size(grid.frame)))};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_cells_add(PG_FUNCTION_ARGS) {  // strict
  CountState* state = own_count_state(fcinfo);
  const auto* cutting = packed_argument<Cutting>(fcinfo, 2, "cells", make_cutting);
  state = of_shape(state, cutting->views, cutting->bins, cutting->fingerprint);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(1), cutting->placer.inputs());
  std::int32_t q[FramePlacer::max_row];
  // A row is missing in all views or in none.
  for (int v = 0; x != nullptr && v < cutting->views && cutting->placer.place(v, x, q); ++v) {
    state->add(v, cell_of(q, cutting->axes, cutting->side, cutting->resolution));
  }
  PG_RETURN_POINTER(state);
}
