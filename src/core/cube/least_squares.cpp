#include "core/cube/least_squares.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/poll.hpp"

namespace dpmix {

// A set's table with one place more on each axis, for the sum over that key: it holds the tables of
// all subsets.
struct CubeLeastSquares::Table {
  std::vector<std::size_t> size;    // of each key
  std::vector<std::size_t> stride;  // of each axis
  std::vector<double> value;

  Table(const CubeWorkload& workload, KeySet set) {
    for (const int key : keys_of(set)) size.push_back(static_cast<std::size_t>(workload.size(key)));
    stride.resize(size.size());
    std::size_t all = 1;
    for (std::size_t k = size.size(); k-- > 0;) {
      stride[k] = all;
      all *= size[k] + 1;
    }
    value.resize(all);
  }

  // visit(place) of the cells of a subset, its first key slowest.
  template <class Visit>
  void each_cell(std::size_t subset, const Visit& visit) const {
    std::vector<std::size_t> at(size.size());
    std::size_t place = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
      if (!(subset >> k & 1)) place += size[k] * stride[k];
    }
    for (;;) {
      visit(place);
      std::size_t k = size.size();
      while (k-- > 0) {
        if (!(subset >> k & 1)) continue;
        place += stride[k];
        if (++at[k] < size[k]) break;
        place -= size[k] * stride[k];
        at[k] = 0;
      }
      if (k == static_cast<std::size_t>(-1)) return;
    }
  }

  // change(first, stride, cells) of each line along each axis, the axes in the order of keys: what
  // is computed of a subset's cells does not depend on the other keys of the set, roundings
  // included.
  template <class Number, class Change>
  void each_line(std::vector<Number>& of, const Change& change) const {
    for (std::size_t k = 0; k < size.size(); ++k) {
      poll();
      const std::size_t run = stride[k] * (size[k] + 1);
      for (std::size_t outer = 0; outer < of.size(); outer += run) {
        for (std::size_t inner = 0; inner < stride[k]; ++inner) {
          change(of.data() + outer + inner, stride[k], size[k]);
        }
      }
    }
  }

  std::size_t whole_set() const { return (std::size_t{1} << size.size()) - 1; }
};

CubeLeastSquares::CubeLeastSquares(const CubeWorkload& workload, std::span<const double> precision)
    : workload_(workload),
      precision_(precision.begin(), precision.end()),
      residual_precision_(workload.precisions(precision)) {
  for (std::size_t a = 0; a < workload.residuals(); ++a) {
    residual_.emplace_back(workload.cells(workload.residual(static_cast<int>(a))));
  }
}

void CubeLeastSquares::add(std::size_t set, std::span<const double> table) {
  Table all(workload_, workload_.set(set));
  std::size_t from = 0;
  double magnitudes = 0;
  all.each_cell(all.whole_set(), [&](std::size_t place) {
    magnitudes += std::abs(table[from]);
    all.value[place] = table[from++];
  });
  largest_ = std::max(largest_, magnitudes);
  all.each_line(all.value, [](double* line, std::size_t stride, std::size_t cells) {
    double sum = 0;
    for (std::size_t c = 0; c < cells; ++c) sum += line[c * stride];
    line[cells * stride] = sum;
    for (std::size_t c = 0; c < cells; ++c) line[c * stride] -= sum / static_cast<double>(cells);
  });
  const auto parts = workload_.parts(set);
  for (std::size_t subset = 0; subset < parts.size(); ++subset) {
    const auto a = static_cast<std::size_t>(parts[subset].residual);
    const double weight = precision_[set] * parts[subset].told / residual_precision_[a];
    double* to = residual_[a].data();
    all.each_cell(subset, [&](std::size_t place) { *to++ += weight * all.value[place]; });
  }
}

CubeLeastSquares::Table CubeLeastSquares::all_answers(KeySet keys) const {
  Table all(workload_, keys);
  const std::vector<int> residuals = workload_.known(keys);
  for (std::size_t subset = 0; subset < residuals.size(); ++subset) {
    const double* from = residual_[static_cast<std::size_t>(residuals[subset])].data();
    all.each_cell(subset, [&](std::size_t place) { all.value[place] = *from++; });
  }
  all.each_line(all.value, [](double* line, std::size_t stride, std::size_t cells) {
    const double mean = line[cells * stride] / static_cast<double>(cells);
    for (std::size_t c = 0; c < cells; ++c) line[c * stride] += mean;
  });
  return all;
}

std::vector<double> CubeLeastSquares::answer(std::size_t set) const {
  return marginal(workload_.set(set));
}

std::vector<double> CubeLeastSquares::marginal(KeySet keys) const {
  const Table all = all_answers(keys);
  std::vector<double> made;
  all.each_cell(all.whole_set(), [&](std::size_t place) { made.push_back(all.value[place]); });
  return made;
}

// docs/proofs/cube.md, Finite precision.
double CubeLeastSquares::slack_of_cell(KeySet keys) const {
  double steps = static_cast<double>(workload_.sets()) + 64;
  for (std::size_t i = 0; i < workload_.sets(); ++i) {
    double here = 0;
    for (const int key : keys_of(workload_.set(i))) here += workload_.size(key);
    steps = std::max(steps, static_cast<double>(workload_.sets()) + 64 + here);
  }
  return std::ldexp(steps * largest_, 2 * std::popcount(keys) - 50);
}

std::vector<Int128> CubeLeastSquares::whole_marginal(KeySet keys) const {
  constexpr double kMost = 0x1p112;  // no sum of cells overflows
  Table all = all_answers(keys);
  // The sum of all cells is the cell of a subset, and is made there alone.
  all.each_line(all.value, [](double* line, std::size_t stride, std::size_t cells) {
    for (std::size_t c = 1; c < cells; ++c) line[c * stride] += line[(c - 1) * stride];
    line[(cells - 1) * stride] = line[cells * stride];
  });
  std::vector<Int128> whole;
  for (const double value : all.value) {
    whole.push_back(static_cast<Int128>(std::nearbyint(std::clamp(value, -kMost, kMost))));
  }
  all.each_line(whole, [](Int128* line, std::size_t stride, std::size_t cells) {
    for (std::size_t c = cells; c-- > 1;) line[c * stride] -= line[(c - 1) * stride];
  });
  std::vector<Int128> made;
  all.each_cell(all.whole_set(), [&](std::size_t place) { made.push_back(whole[place]); });
  return made;
}

}  // namespace dpmix
