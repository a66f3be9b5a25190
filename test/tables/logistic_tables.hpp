// Passes of logistic regressions over tables, as the scan sums them, and whole releases.
#pragma once

#include "core/regression/logistic_fit.hpp"
#include "core/regression/model.hpp"
#include "tables/regression_tables.hpp"

namespace dpmix::test {

// Coded rows (z, y) of the rows that miss nothing.
inline std::vector<std::vector<double>> coded_rows(const Design& design,
                                                   const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<double>> coded;
  for (const std::vector<double>& row : rows) {
    std::vector<double> z(MomentFrame::max_features);
    if (!design.code(row.data(), z.data())) continue;
    z.resize(static_cast<std::size_t>(design.columns()) + 1);
    coded.push_back(z);
  }
  return coded;
}

inline MomentTotals pass_totals(const LogisticFrame& frame,
                                const std::vector<std::vector<double>>& coded,
                                const std::vector<int>& label = {}) {
  std::vector<double> memory(LogisticPlacer::memory_size(frame) + 8);
  const LogisticPlacer placer(frame, memory.data());
  const int classes = static_cast<int>(frame.seen.classes.size());
  const MomentShape shape{2 * classes, frame.seen.features, frame.seen.resolution,
                          fingerprint(frame.pack())};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  std::int32_t slope[FramePlacer::max_row], information[FramePlacer::max_row];
  for (std::size_t r = 0; r < coded.size(); ++r) {
    const int k = label.empty() ? 0 : label[r];
    if (!placer.place(k, coded[r].data(), slope, information)) continue;
    moments.add_squares(slope_class(k), slope);
    moments.add(information_class(k, classes), information);
  }
  return moments.totals();
}

// A release of rows of one class. moments: of the same rows.
inline LogisticFit logistic_release(RandomStream& random, const MomentTotals& moments,
                                    const std::vector<std::vector<double>>& coded,
                                    const LogisticPlan& plan) {
  const int p = static_cast<int>(moments.classes[0].sums.size());
  LogisticFit fit(noisy_gram(random, &moments.classes[0], p, plan.moments), plan);
  for (const LogisticNoise& noise : plan.pass) {
    const MomentTotals totals = pass_totals(frame_of({fit}, p), coded);
    fit.step(noisy_slope(random, &totals.classes[0], p, noise),
             noisy_information(random, &totals.classes[1], p, noise), noise);
  }
  return fit;
}

}  // namespace dpmix::test
