// Coordinate descents over tables, as the release makes them: by rows that are held, or by scans.
#pragma once

#include "core/regression/coordinate_fit.hpp"
#include "core/regression/coordinate_rows.hpp"
#include "tables/logistic_tables.hpp"

namespace dpmix::test {

// Sums of the columns of z, for noisy_columns().
inline MomentTotals column_totals(const Design& design,
                                  const std::vector<std::vector<double>>& coded) {
  const MomentFrame frame = column_frame(design);
  std::vector<double> memory(FramePlacer::memory_size(frame) + 8);
  const FramePlacer placer(frame, memory.data());
  const MomentShape shape{1, frame.features, frame.resolution, fingerprint(frame.pack())};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  std::int32_t q[FramePlacer::max_row];
  for (const std::vector<double>& row : coded) {
    if (placer.place(0, row.data(), q)) moments.add(0, q);
  }
  return moments.totals();
}

inline CoordinateRows held_rows(const Design& design,
                                const std::vector<std::vector<double>>& coded) {
  CoordinateRows rows(design.columns());
  for (const std::vector<double>& row : coded) rows.add(row.data());
  return rows;
}

// share: of the noise that the plan asks for, a power of two; of a mixture its centres, too.
inline CoordinateFit coordinate_release(RandomStream& random, const MomentTotals& moments,
                                        CoordinateRows rows, CoordinatePlan plan,
                                        double share = 1) {
  plan.unit.scale *= share;
  plan.unit.sensitivity *= share;
  const MomentTotals::Class* of = moments.classes.empty() ? nullptr : &moments.classes[0];
  CoordinateFit fit(noisy_columns(random, of, plan), plan);
  while (!fit.done()) {
    const Int128 exact = rows.slope(fit.frame(), fit.coordinate());
    fit.step(noisy_number(random, plan, exact, plan.slope_sensitivity()));
  }
  return fit;
}

}  // namespace dpmix::test
