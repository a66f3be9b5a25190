// Where exact integers meet noise: a sum that is released, or several that have their noise
// together.
//
// Enters: exact integers and the law of their noise, which draws it from a stream. Leaves: sums.
//
// In a build that is never installed (DPMIX_REPLAY, test/server/replay) each meeting is written
// down, and its result can be that of an earlier release: docs/proofs/replay.md. Only .cpp files
// include this, or two builds of a header would meet in one library.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/int128.hpp"
#include "core/random/stream.hpp"

#ifdef DPMIX_REPLAY
#include "test/server/replay/meeting.hpp"
#endif

namespace dpmix {

template <class Law>
std::vector<Int128> noisy(RandomStream& random, const Law& law, std::vector<Int128> exact) {
#ifdef DPMIX_REPLAY
  if (replay::at_work()) return replay::released(law, exact);
#endif
  const std::vector<Int128> noise = law(random);
  for (std::size_t i = 0; i < exact.size(); i++) exact[i] += noise[i];
  return exact;
}

template <class Law>
Int128 noisy(RandomStream& random, const Law& law, Int128 exact) {
#ifdef DPMIX_REPLAY
  if (replay::at_work()) return replay::released(law, {exact}).front();
#endif
  return exact + law(random);
}

}  // namespace dpmix
