// A black-box audit of a release that shows many numbers: half of the runs choose what tells most,
// one of the numbers or Fisher's discriminant of all of them; the other half judges that alone.
//
//   const AuditResult found = audit_numbers([&] { return shown(release(table)); },
//                                           [&] { return shown(release(neighbour)); }, claim);
//
// The functions return a vector, always of the same length. claim.runs: on each of the two.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "statistical/privacy_audit.hpp"

namespace dpmix::test {

using Shown = Eigen::VectorXd;

// What is shown, each number in units of its spread, and without its tails.
class Standard {
 public:
  explicit Standard(const std::vector<Shown>& runs) {
    const Eigen::Index size = runs.front().size();
    middle_.resize(size), spread_.resize(size);
    std::vector<double> values(runs.size());
    for (Eigen::Index i = 0; i < size; ++i) {
      for (std::size_t n = 0; n < runs.size(); ++n) values[n] = runs[n][i];
      std::sort(values.begin(), values.end());
      const auto at = [&](double p) {
        return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
      };
      middle_[i] = at(.5);
      spread_[i] = std::max({at(.84) - at(.16), 1e-9 * std::abs(middle_[i]), 1e-300}) / 2;
    }
  }
  Shown operator()(const Shown& run) const {
    return ((run - middle_).array() / spread_.array()).max(-3.).min(3.).matrix();
  }

 private:
  Shown middle_, spread_;
};

using ShownScore = std::function<double(const Shown&)>;

// Each number alone, and Fisher's discriminant: the likelihood ratio, were all of them normal.
inline std::vector<ShownScore> shown_scores(const std::vector<Shown>& one,
                                            const std::vector<Shown>& other) {
  std::vector<Shown> both = one;
  both.insert(both.end(), other.begin(), other.end());
  const Standard standard(both);
  const Eigen::Index size = both.front().size();
  std::vector<ShownScore> all;
  for (Eigen::Index i = 0; i < size; ++i) {
    all.push_back([i](const Shown& run) { return run[i]; });
  }
  const auto mean = [&](const std::vector<Shown>& runs) {
    Shown sum = Shown::Zero(size);
    for (const Shown& run : runs) sum += standard(run);
    return Shown(sum / static_cast<double>(runs.size()));
  };
  const Shown first = mean(one), second = mean(other);
  Eigen::MatrixXd spread = Eigen::MatrixXd::Identity(size, size) * 1e-3;
  for (const auto* runs : {&one, &other}) {
    const Shown& centre = runs == &one ? first : second;
    for (const Shown& run : *runs) {
      const Shown x = standard(run) - centre;
      spread += x * x.transpose() / static_cast<double>(both.size());
    }
  }
  const Shown direction = spread.ldlt().solve(first - second);
  all.push_back([=](const Shown& run) { return direction.dot(standard(run)); });
  return all;
}

template <class First, class Second>
AuditResult audit_numbers(const First& first, const Second& second, const AuditClaim& claim) {
  const auto runs_of = [&](const auto& mechanism) {
    std::vector<Shown> all;
    for (std::uint64_t n = 0; n < claim.runs / 4; ++n) all.push_back(mechanism());
    return all;
  };
  const auto learned = runs_of(first), learned_other = runs_of(second);
  const std::vector<ShownScore> all = shown_scores(learned, learned_other);
  const std::vector<Shown> one = runs_of(first), other = runs_of(second);
  const AuditClaim trial{.epsilon = claim.epsilon, .delta = claim.delta, .runs = claim.runs / 4};
  const ShownScore* best = &all.back();
  double most = -1;
  for (const ShownScore& score : all) {
    std::size_t a = 0, b = 0;  // audit_scores takes from either in order
    const AuditResult found =
        audit_scores([&] { return score(one[a++]); }, [&] { return score(other[b++]); }, trial);
    if (found.epsilon > most) most = found.epsilon, best = &score;
  }
  AuditClaim judged = claim;
  judged.runs = claim.runs / 2;
  return audit_scores([&] { return (*best)(first()); }, [&] { return (*best)(second()); }, judged);
}

}  // namespace dpmix::test
