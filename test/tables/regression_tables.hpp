// Tables for regressions: designs with terms of every kind, rows for them, and their moments as the
// scan sums them.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/input/moment_frame_placer.hpp"
#include "core/regression/plan.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/pass.hpp"

namespace dpmix::test {

inline DesignTerm number_term(double lower, double upper) {
  return {.kind = TermKind::number, .lower = lower, .upper = upper};
}
inline DesignTerm category_term(int categories) {
  return {.kind = TermKind::category, .categories = categories};
}
inline DesignTerm power_term(int base, int power) {
  return {.kind = TermKind::power, .base = base, .power = power};
}

// Numbers, two or more categories, powers; target of bounds that are not centred.
inline Design mixed_design() {
  Design design;
  design.terms = {number_term(-3, 5),  category_term(2), power_term(0, 2), category_term(5),
                  number_term(0, 1e6), power_term(0, 3), power_term(4, 2)};
  design.target_lower = -1;
  design.target_upper = 9;
  return design;
}

inline MomentTotals totals_of(const Design& design, int classes,
                              const std::vector<std::vector<double>>& rows,
                              const std::vector<int>& label = {}) {
  const MomentFrame frame = design.frame(classes);
  std::vector<double> memory(FramePlacer::memory_size(frame) + 8);
  const FramePlacer placer(frame, memory.data());
  const MomentShape shape{classes, frame.features, frame.resolution, fingerprint(frame.pack())};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  std::vector<double> z(MomentFrame::max_features + 1);
  std::int32_t q[FramePlacer::max_row];
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const int k = label.empty() ? 0 : label[r];
    if (design.code(rows[r].data(), z.data()) && placer.place(k, z.data(), q)) moments.add(k, q);
  }
  return moments.totals();
}

// In bounds, at them, beyond them, one ulp inside, infinite or missing.
inline double awkward_number(std::mt19937_64& random, double lower, double upper) {
  const double inf = std::numeric_limits<double>::infinity();
  switch (random() % 10) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return inf;
    case 2:
      return -inf;
    case 3:
    case 4:
      return lower;
    case 5:
    case 6:
      return upper;
    case 7:
      return std::nextafter(upper, lower);
    default:
      return std::uniform_real_distribution<double>(lower, upper)(random);
  }
}

inline std::vector<double> awkward_row(std::mt19937_64& random, const Design& design,
                                       bool missing = true) {
  std::vector<double> row;
  for (const DesignTerm& term : design.terms) {
    if (term.kind == TermKind::power) continue;
    if (term.kind == TermKind::category) {
      row.push_back(static_cast<double>(random() % static_cast<std::uint64_t>(term.categories)));
      continue;
    }
    do row.push_back(awkward_number(random, term.lower, term.upper));
    while (!missing && std::isnan(row.back()) && (row.pop_back(), true));
  }
  row.push_back(awkward_number(random, design.target_lower, design.target_upper));
  return row;
}

}  // namespace dpmix::test
