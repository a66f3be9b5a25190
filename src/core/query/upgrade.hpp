// Several Gaussian answers to one question, and what a more precise one still costs.
//
// Enters: the deviations of the noise of answers that were paid for, and the deviation wanted. The
// precision of an answer is 1 / deviation^2, in lattice steps; precisions of independent answers to
// the same exact statistic add up, and so do their prices mu^2 = sensitivity^2 * precision. Leaves:
// the noise of the one draw that is missing, the price of all missing draws together, the weighted
// mean of the answers, and how far its noise reaches. Proof: docs/proofs/memory.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/query/plan.hpp"

namespace dpmix {

double precision_of(double deviation);
double deviation_of(double precision);
// The precision of one draw. Rounding to the lattice is left out, as it is of prices.
double precision_of_law(const NoiseLaw& law);

// What is less than this part of the precision wanted is not worth a draw: it is rounding.
constexpr double kPrecisionTolerance = 1e-9;

// The deviation of the draw that lifts `stored` (0: none) to the precision wanted; 0: none is
// missing.
double missing_deviation(double stored, double wanted);

// What an upgrade is before it is charged: which statistics are drawn again, with which noise, and
// the price.
struct UpgradePlan {
  QueryPlan plan;                 // of the new draws alone, as they are charged
  std::vector<double> deviation;  // of the draw of each statistic; 0: it is not drawn
  std::vector<double> weight;     // of each: how much of its noise is in that of a count of rows
};
// full: the plan of the whole request, of Gaussian noise; stored: of each statistic the precision
// that is there; joint: of the request. Absent where the difference has no charge of its
// own: a deviation out of range, or a price above that of the whole.
std::optional<UpgradePlan> plan_upgrade(const QueryPlan& full, const Accounting& table,
                                        std::span<const StatisticShift> shifts,
                                        std::span<const StatisticNoise> noise,
                                        std::span<const double> stored,
                                        const std::optional<JointPrice>& joint = std::nullopt);
// What the same draws cost another table of the query.
void price_upgrade(const Accounting& table, double mu, QueryPlan& plan);
double mu_of_draws(std::span<const StatisticShift> shifts, std::span<const double> deviation,
                   const std::optional<JointPrice>& joint = std::nullopt);

// The weights of answers by precision, the rounding of each to the lattice included; they add up to
// 1.
std::vector<double> answer_weights(std::span<const double> deviations);
// The weighted mean, rounded to the lattice.
Int128 combined_answer(std::span<const Int128> answers, std::span<const double> weights);
// A normal deviation that bounds the noise of the weighted mean, but for its roundings.
double combined_deviation(std::span<const double> deviations);
// Lattice steps that the noise of a combined answer passes with a probability of `tail` at most.
double combined_reach(double combined_deviation, double tail);

// The level of the interval around the k-th answer of a ladder: it makes up for that an analyst may
// ask for more after a look. 1: `level` itself. All answers after the first hold together with
// 1 - (1 - level) / 2.
double ladder_level(double level, int answers);
// noise_reach() of an answer that may be combined, at the level of its place in the ladder.
double answer_reach(const StatisticNoise& noise, double level, int parts);

}  // namespace dpmix
