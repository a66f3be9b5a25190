// class_moments(class, x, frame).
#include "core/input/moment_frame_placer.hpp"
#include "core/stats/code_scores.hpp"
#include "pg/stats/moment_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_class_moments_add);
}

namespace dpmix::pg {
namespace {

struct Placing {
  MomentShape shape;
  FramePlacer placer;
};

void make_placing(std::span<const double> packed, MemoryContext context, Placing* placing) {
  const MomentFrame frame = MomentFrame::unpack(after_scores(packed));
  placing->placer = FramePlacer(frame, placer_memory(context, FramePlacer::memory_size(frame)));
  placing->shape = {static_cast<std::int32_t>(frame.classes.size()), frame.features,
                    frame.resolution, fingerprint(packed)};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_class_moments_add(PG_FUNCTION_ARGS) {  // strict
  MomentState* state = own_moment_state(fcinfo);
  const auto* placing = packed_argument<Placing>(fcinfo, 3, "class_moments", make_placing);
  state = of_shape(state, placing->shape);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(2), placing->placer.inputs());
  const int32 k = PG_GETARG_INT32(1);
  std::int32_t q[FramePlacer::max_row];
  if (x != nullptr && k >= 0 && k < placing->shape.classes && placing->placer.place(k, x, q)) {
    ClassMoments(state->words).add(k, q);
  }
  PG_RETURN_POINTER(state);
}
