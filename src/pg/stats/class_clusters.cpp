// class_clusters(class, x, frame).
#include "core/input/cluster_frame.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_class_clusters_add);
}

namespace dpmix::pg {
namespace {

struct Clusters {
  int classes;
  uint64 fingerprint;
  MixturePlacer placer;
};

void make_clusters(std::span<const double> packed, MemoryContext context, Clusters* clusters) {
  const ClusterFrame frame = ClusterFrame::unpack(packed);
  clusters->placer = MixturePlacer(
      frame.mixture, placer_memory(context, MixturePlacer::memory_size(frame.mixture)));
  clusters->classes = frame.classes;
  clusters->fingerprint = fingerprint(packed);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_class_clusters_add(PG_FUNCTION_ARGS) {  // strict
  CountState* state = own_count_state(fcinfo);
  const auto* clusters = packed_argument<Clusters>(fcinfo, 3, "class_clusters", make_clusters);
  state = of_shape(state, clusters->classes, clusters->placer.components(), clusters->fingerprint);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(2), clusters->placer.inputs());
  const int32 k = PG_GETARG_INT32(1);
  if (x != nullptr && k >= 0 && k < clusters->classes) {
    const int cluster = clusters->placer.most_likely(x);
    if (cluster >= 0) state->add(k, cluster);
  }
  PG_RETURN_POINTER(state);
}
