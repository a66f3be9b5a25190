// Draws of counts of rows together with the counts of values whose noise is in theirs.
//
// Enters: planned noise. Leaves: integers, of each statistic round(normal of its deviation),
// exactly; the normal number of a count of rows is the sum of weight * number of each count of
// values and of a rest of its own. Proof: docs/proofs/query_joint.md.
#pragma once

#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/query/family_noise.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

class SharedDraws {
 public:
  struct Part {
    int values;
    double deviation;
    double coefficient;  // weight * deviation
  };
  SharedDraws(int rows, double deviation, std::vector<Part> parts);

  int rows() const { return rows_; }
  std::span<const Part> parts() const { return parts_; }
  double rest() const { return rest_; }  // the deviation that is the rows' own
  // The noise of each statistic, in the order of parts(); last that of the rows.
  std::vector<Int128> operator()(RandomStream& random) const;

 private:
  int rows_;
  double rest_;
  std::vector<Part> parts_;
};

// The draws of all statistics that share. What is drawn by them is what price_of_draws() counts.
std::vector<SharedDraws> shared_draws(std::span<const StatisticNoise> noise);

}  // namespace dpmix
