// Rows that are drawn one at a time are independent draws of the model's law. A right sampler fails
// with probability at most 1e-9.
#include "core/tree_model/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "statistical/goodness_of_fit.hpp"
#include "tables/tree_models.hpp"

namespace dpmix::test {
namespace {

std::vector<std::uint64_t> drawn(const TreeModel& model, int rows, std::uint64_t trials) {
  const std::vector<int>& sizes = model.tables.codes;
  std::size_t cells = model.tables.classes.size();
  for (const int size : sizes) cells *= at(size);
  std::vector<std::uint64_t> counts(cells);
  TreeSampler sampler(model);
  RandomStream random({4});
  for (std::uint64_t n = 0; n < trials; ++n) {
    sampler.draw(random, rows);
    const int r = rows / 2;  // any of them: rows are in random order
    std::size_t cell = at(sampler.label(r));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      cell =
          cell * at(sizes[i]) + at(static_cast<int>(sampler.value(random, r, static_cast<int>(i))));
    }
    ++counts[cell];
  }
  return counts;
}

std::vector<double> law_of(const TreeModel& model) {
  const TreeLaw law(model);
  const std::vector<int>& sizes = model.tables.codes;
  std::vector<double> all;
  for (std::size_t k = 0; k < law.classes().size(); ++k) {
    const std::size_t start = all.size();
    std::size_t cells = 1;
    for (const int size : sizes) cells *= at(size);
    all.resize(start + cells);
    each_codes(sizes, [&](const std::vector<int>& codes) {
      std::size_t cell = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) cell = cell * at(sizes[i]) + at(codes[i]);
      all[start + cell] = law.probability(static_cast<int>(k), codes);
    });
  }
  return all;
}

TEST(TreeSamplerFrequency, ARowFollowsTheLaw) {
  std::mt19937_64 random(5);
  const TreeModel model = model_of_joint(random, 2, {2, 3, 3}, {{0, 1}, {1, 2}, {2, 0}});
  for (const int rows : {1, 2, 7}) {
    const std::uint64_t trials = draws(400'000) / static_cast<std::uint64_t>(rows);
    EXPECT_GT(chi_square_p_value(trials, law_of(model), drawn(model, rows, trials)), 1e-9) << rows;
  }
  // Another model is seen.
  const TreeModel other = model_of_joint(random, 2, {2, 3, 3}, {{0, 1}, {1, 2}, {2, 0}});
  EXPECT_LT(chi_square_p_value(draws(400'000), law_of(other), drawn(model, 1, draws(400'000))),
            1e-9);
}

}  // namespace
}  // namespace dpmix::test
