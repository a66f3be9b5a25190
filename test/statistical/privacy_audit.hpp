// A black-box audit of a privacy claim: what thousands of runs on two neighbours prove about
// epsilon, whatever the mechanism is made of.
//
//   AuditClaim claim{.epsilon = 1, .delta = 1e-5};
//   const AuditResult found = audit_scores([&] { return score(release(table)); },
//                                          [&] { return score(release(neighbour)); }, claim);
//   EXPECT_FALSE(found.refutes(claim));
//
// Enters: two functions that run the mechanism once, on either neighbour, and return whether an
// event happened, or a score (any number; NaN counts as the lowest). Runs are independent.
// Leaves: an epsilon below which the mechanism is not (epsilon, delta)-DP, with the confidence of
// the claim, whatever the mechanism's laws are: exact binomial (Clopper-Pearson) bounds on the
// event's two probabilities. The audit may miss a violation; it invents one with probability at
// most 1 - confidence.
#pragma once

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace dpmix::test {

struct AuditClaim {
  double epsilon = 0, delta = 0;
  double confidence = .99;
  std::uint64_t runs = 4000;  // on each of the two neighbours
};

struct AuditResult {
  double epsilon = 0;  // proved lower bound at the claimed delta; 0 when nothing is proved
  // What proves it: bounds on the probabilities of one event, where it is likelier and where not.
  double at_least = 0, at_most = 1;

  bool refutes(const AuditClaim& claim) const { return epsilon > claim.epsilon; }
};

// The least and the largest p at which `successes` of `runs` or more (fewer) have probability
// `error`.
inline double clopper_pearson_lower(std::uint64_t successes, std::uint64_t runs, double error) {
  if (successes == 0) return 0;
  const auto k = static_cast<double>(successes), n = static_cast<double>(runs);
  return quantile(boost::math::beta_distribution<>(k, n - k + 1), error);
}
inline double clopper_pearson_upper(std::uint64_t successes, std::uint64_t runs, double error) {
  if (successes == runs) return 1;
  const auto k = static_cast<double>(successes), n = static_cast<double>(runs);
  return quantile(complement(boost::math::beta_distribution<>(k + 1, n - k), error));
}

// What counts of one event, fixed before the runs, prove: P(likelier) <= e^eps P(other) + delta.
inline AuditResult audit_counts(std::uint64_t likelier, std::uint64_t other, std::uint64_t runs,
                                double delta, double error) {
  AuditResult result;
  result.at_least = clopper_pearson_lower(likelier, runs, error / 2);
  result.at_most = clopper_pearson_upper(other, runs, error / 2);
  if (result.at_least > delta) {
    result.epsilon = std::max(0., std::log((result.at_least - delta) / result.at_most));
  }
  return result;
}

// The event or its absence, likelier on either side: four ways, each with its share of the error.
template <class First, class Second>
AuditResult audit_event(const First& first, const Second& second, const AuditClaim& claim) {
  std::uint64_t a = 0, b = 0;
  for (std::uint64_t n = 0; n < claim.runs; ++n) {
    a += first() ? 1 : 0;
    b += second() ? 1 : 0;
  }
  AuditResult best;
  const auto consider = [&](std::uint64_t likelier, std::uint64_t other) {
    const AuditResult found =
        audit_counts(likelier, other, claim.runs, claim.delta, (1 - claim.confidence) / 4);
    if (found.epsilon > best.epsilon) best = found;
  };
  consider(a, b);
  consider(b, a);
  consider(claim.runs - a, claim.runs - b);
  consider(claim.runs - b, claim.runs - a);
  return best;
}

// A third of the runs chooses the threshold and the side; the other two thirds judge that event
// alone, with all of the error.
template <class First, class Second>
AuditResult audit_scores(const First& first, const Second& second, const AuditClaim& claim) {
  const auto run = [](const auto& mechanism, std::uint64_t runs) {
    std::vector<double> scores;
    for (std::uint64_t n = 0; n < runs; ++n) {
      const double score = mechanism();
      scores.push_back(std::isnan(score) ? -std::numeric_limits<double>::infinity() : score);
    }
    return scores;
  };
  const auto above = [](const std::vector<double>& scores, double threshold) {
    return static_cast<std::uint64_t>(std::count_if(
        scores.begin(), scores.end(), [&](double score) { return score > threshold; }));
  };
  struct Event {
    double threshold = 0;
    bool up = true, second_likelier = false;
  };
  const auto judge = [&](const Event& event, const std::vector<double>& a,
                         const std::vector<double>& b, double error) {
    std::uint64_t in_a = above(a, event.threshold), in_b = above(b, event.threshold);
    if (!event.up) in_a = a.size() - in_a, in_b = b.size() - in_b;
    if (event.second_likelier) std::swap(in_a, in_b);
    return audit_counts(in_a, in_b, a.size(), claim.delta, error);
  };

  const double error = 1 - claim.confidence;
  const std::uint64_t choosing = claim.runs / 3;
  const std::vector<double> a = run(first, choosing), b = run(second, choosing);
  std::vector<double> thresholds = a;
  thresholds.insert(thresholds.end(), b.begin(), b.end());
  std::sort(thresholds.begin(), thresholds.end());
  Event chosen;
  double best = -1;
  constexpr std::size_t tried = 200;
  for (std::size_t i = 0; i < tried && !thresholds.empty(); ++i) {
    Event event;
    event.threshold = thresholds[i * (thresholds.size() - 1) / (tried - 1)];
    for (const bool up : {true, false}) {
      for (const bool second_likelier : {false, true}) {
        event.up = up;
        event.second_likelier = second_likelier;
        const double found = judge(event, a, b, error).epsilon;
        if (found > best) best = found, chosen = event;
      }
    }
  }
  const std::uint64_t judging = claim.runs - choosing;
  return judge(chosen, run(first, judging), run(second, judging), error);
}

}  // namespace dpmix::test
