// soft_moments(x, frame).
#include "core/input/mixture_frame.hpp"
#include "pg/stats/moment_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_soft_moments_add);
}

namespace dpmix::pg {
namespace {

struct Sharing {
  MomentShape shape;
  MixturePlacer placer;
};

void make_sharing(std::span<const double> packed, MemoryContext context, Sharing* sharing) {
  const MixtureFrame mixture = MixtureFrame::unpack(packed);
  sharing->placer =
      MixturePlacer(mixture, placer_memory(context, MixturePlacer::memory_size(mixture)));
  sharing->shape = {sharing->placer.components(), mixture.frame.features, mixture.frame.resolution,
                    fingerprint(packed)};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_soft_moments_add(PG_FUNCTION_ARGS) {  // strict
  MomentState* state = own_moment_state(fcinfo);
  const auto* sharing = packed_argument<Sharing>(fcinfo, 2, "soft_moments", make_sharing);
  state = of_shape(state, sharing->shape);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(1), sharing->placer.inputs());
  std::int64_t shares[MomentFrame::max_classes];
  if (x == nullptr || !sharing->placer.shares(x, shares)) PG_RETURN_POINTER(state);
  ClassMoments moments(state->words);
  std::int32_t q[FramePlacer::max_row];
  for (int k = 0; k < sharing->shape.classes; ++k) {
    if (shares[k] == 0) continue;
    sharing->placer.place(k, x, q);
    moments.add(k, q, shares[k]);
  }
  PG_RETURN_POINTER(state);
}
