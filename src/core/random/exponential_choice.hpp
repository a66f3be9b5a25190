// The exponential mechanism (McSherry and Talwar 2007): one of several candidates, good ones more
// often.
//
// Enters: integer scores, larger is better, and a rate for one unit of score. Leaves: the index of
// a candidate, P(r) proportional to e^{rate score_r} exactly: no double decides. Rejection: a
// uniform index is kept with an exact coin of probability e^{-rate (best score - its score)}
// (Canonne, Kamath, Steinke 2020). Neighbours that move each score by at most D have log ratios in
// an interval of length 2 rate D, the range that cost_of_bounded_range charges.
//
// How often it tries shows in the running time, and in nothing else: on average at most as often as
// there are candidates. No candidates or an invalid rate: Error PV005.
// Proof: docs/proofs/bounded_range.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/random/exact_rate.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

std::size_t exponential_choice(RandomStream& random, std::span<const std::int64_t> scores,
                               const ExactRate& rate);

}  // namespace dpmix
