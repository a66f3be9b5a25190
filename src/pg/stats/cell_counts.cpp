// cell_counts(x, cut) and edge_counts(x, edges).
#include <cmath>

#include "core/base/error.hpp"
#include "core/input/cell_cut.hpp"
#include "core/input/edge_cells.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_cell_counts_add);
PG_FUNCTION_INFO_V1(dpmix_edge_counts_add);
PG_FUNCTION_INFO_V1(dpmix_edge_counts_add_weighed);
}

namespace dpmix::pg {
namespace {

struct Cutting {
  int cells;
  uint64 fingerprint;
  CellPlacer placer;
};

void make_cutting(std::span<const double> packed, MemoryContext, Cutting* cutting) {
  if (packed.size() != 3 || !(packed[2] >= 1 && packed[2] <= CellCut::max_cells) ||
      packed[2] != std::floor(packed[2])) {
    throw Error(ErrorCode::invalid_parameter, "invalid cut of a column",
                "It has three numbers: where the first cell begins, where the last one ends, and "
                "how many there are, from 1 to 2^20.",
                "Use the layout in the comment on dpmix_internal.cell_counts.");
  }
  cutting->cells = static_cast<int>(packed[2]);
  cutting->fingerprint = fingerprint(packed);
  cutting->placer = cell_placer(packed[0], packed[1], cutting->cells);
}

struct Edges {
  std::span<const double> edges;  // those in the copy of the argument that is kept
  uint64 fingerprint;
};

void make_edges(std::span<const double> packed, MemoryContext, Edges* edges) {
  check_edges(packed);
  edges->edges = packed;
  edges->fingerprint = fingerprint(packed);
}

Datum add_between_edges(FunctionCallInfo fcinfo, int64 weight) {
  CountState* state = own_count_state(fcinfo);
  const auto* made = packed_argument<Edges>(fcinfo, 2, "edge_counts", make_edges);
  const auto cells = static_cast<int>(made->edges.size()) - 1;
  state = of_shape(state, 1, cells, made->fingerprint);
  const double x = PG_GETARG_FLOAT8(1);
  const int cell = x == x ? edge_cell(made->edges, x) : -1;
  if (cell >= 0) state->counts[cell] += weight;
  PG_RETURN_POINTER(state);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_cell_counts_add(PG_FUNCTION_ARGS) {  // strict
  CountState* state = own_count_state(fcinfo);
  const auto* cutting = packed_argument<Cutting>(fcinfo, 2, "cell_counts", make_cutting);
  state = of_shape(state, 1, cutting->cells, cutting->fingerprint);
  const double x = PG_GETARG_FLOAT8(1);
  if (likely(x == x)) state->add(0, cutting->placer.place(x));  // NaN is missing
  PG_RETURN_POINTER(state);
}

Datum dpmix_edge_counts_add(PG_FUNCTION_ARGS) {  // strict
  return add_between_edges(fcinfo, 1);
}

Datum dpmix_edge_counts_add_weighed(PG_FUNCTION_ARGS) {  // strict
  return add_between_edges(fcinfo, PG_GETARG_INT32(3));
}
}
