// logistic_moments(class, x, frame).
#include "core/regression/logistic_frame.hpp"
#include "pg/stats/moment_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_logistic_moments_add);
}

namespace dpmix::pg {
namespace {

struct Sloping {
  MomentShape shape;
  int classes;  // the frame's: half of the state's
  LogisticPlacer placer;
};

void make_sloping(std::span<const double> packed, MemoryContext context, Sloping* sloping) {
  const LogisticFrame frame = LogisticFrame::unpack(packed);
  sloping->placer =
      LogisticPlacer(frame, placer_memory(context, LogisticPlacer::memory_size(frame)));
  sloping->classes = static_cast<int>(frame.seen.classes.size());
  sloping->shape = {2 * sloping->classes, frame.seen.features, frame.seen.resolution,
                    fingerprint(packed)};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_logistic_moments_add(PG_FUNCTION_ARGS) {  // strict
  MomentState* state = own_moment_state(fcinfo);
  const auto* sloping = packed_argument<Sloping>(fcinfo, 3, "logistic_moments", make_sloping);
  state = of_shape(state, sloping->shape);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(2), sloping->placer.inputs());
  const int32 k = PG_GETARG_INT32(1);
  std::int32_t slope[FramePlacer::max_row], information[FramePlacer::max_row];
  if (x != nullptr && k >= 0 && k < sloping->classes &&
      sloping->placer.place(k, x, slope, information)) {
    ClassMoments moments(state->words);
    moments.add_squares(slope_class(k), slope);
    moments.add(information_class(k, sloping->classes), information);
  }
  PG_RETURN_POINTER(state);
}
