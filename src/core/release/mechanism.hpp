// A release as passes over the rows. What a pass looks at depends on public numbers and on what the
// passes before released, never on rows; noise is added as a pass is taken.
//
//   next() -> Pass that can be tested: false when it is done
//   take(random, Exact): the exact statistics of next()
#pragma once

#include "core/random/stream.hpp"

namespace dpmix {

// read(pass): its exact statistics.
template <class Mechanism, class Read>
void run_passes(RandomStream& random, Mechanism& mechanism, const Read& read) {
  while (const auto pass = mechanism.next()) mechanism.take(random, read(*pass));
}

}  // namespace dpmix
