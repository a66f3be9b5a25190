// class_distances(class, x, frame).
#include "core/input/distance_bins.hpp"
#include "core/input/moment_frame_placer.hpp"
#include "core/stats/code_scores.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_class_distances_add);
}

namespace dpmix::pg {
namespace {

struct Binning {
  int classes, features, edges;
  uint64 fingerprint;
  FramePlacer placer;
  const double* edge;
};

void make_binning(std::span<const double> packed, MemoryContext context, Binning* binning) {
  const DistanceBins bins = DistanceBins::unpack(after_scores(packed));
  binning->placer =
      FramePlacer(bins.frame, placer_memory(context, FramePlacer::memory_size(bins.frame)));
  binning->classes = static_cast<int>(bins.frame.classes.size());
  binning->features = bins.frame.features;
  binning->fingerprint = fingerprint(packed);
  binning->edges = bins.bins() - 1;
  binning->edge = packed.last(bins.edges.size()).data();  // in the copy that is kept
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_class_distances_add(PG_FUNCTION_ARGS) {  // strict
  CountState* state = own_count_state(fcinfo);
  const auto* binning = packed_argument<Binning>(fcinfo, 3, "class_distances", make_binning);
  state = of_shape(state, binning->classes, binning->edges + 1, binning->fingerprint);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(2), binning->placer.inputs());
  const int32 k = PG_GETARG_INT32(1);
  std::int32_t q[FramePlacer::max_row];
  if (x != nullptr && k >= 0 && k < binning->classes && binning->placer.place(k, x, q)) {
    const std::span<const double> edges(binning->edge, static_cast<std::size_t>(binning->edges));
    state->add(k, distance_bin(edges, q, static_cast<std::size_t>(binning->features)));
  }
  PG_RETURN_POINTER(state);
}
