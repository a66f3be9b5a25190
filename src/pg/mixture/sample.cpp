#include "pg/mixture/sample.hpp"

#include <algorithm>
#include <vector>

#include "core/base/poll.hpp"
#include "core/mixture/sampling.hpp"
#include "pg/border/entropy.hpp"
#include "pg/mixture/store.hpp"

namespace dpmix::pg {
namespace {

constexpr int kBatch = 256;  // rows drawn before they are put

}  // namespace

void put_gmm_rows(RandomStream& random, RowBuilder* rows, const GaussianMixture& mixture,
                  int64 wanted) {
  GmmSampler sampler(mixture);
  const auto d = static_cast<std::size_t>(mixture.features);
  std::vector<double> numbers(kBatch * d);
  std::vector<int> labels(kBatch);
  for (int64 left = wanted; left > 0; left -= kBatch) {
    poll();
    const auto count = static_cast<std::size_t>(std::min<int64>(left, kBatch));
    for (std::size_t n = 0; n < count; ++n) {
      labels[n] = sampler.draw(random, numbers.data() + n * d);
    }
    const double* x = numbers.data();
    const int* label = labels.data();
    postgres([&] {
      for (std::size_t n = 0; n < count; n++) put_row(rows, x + n * d, label + n);
    });
  }
}

void put_gmm_sample(const FoundRelease& found, RowBuilder* rows, int64 wanted) {
  const StoredGmm* gmm = load_gmm(found);
  for (int i = 0; i < gmm->features; i++) {
    number_column(rows, gmm->feature[i], gmm->lower[i], gmm->upper[i], gmm->types[i]);
  }
  // Rows without the label's column are rows of the features alone.
  if (gmm->label != NULL && has_column(rows, gmm->label)) {
    category_column(rows, gmm->label, gmm->components, gmm->labels);
  }
  start_rows(rows);
  guard_with_random(
      [&](RandomStream& random) { put_gmm_rows(random, rows, mixture_of(gmm), wanted); });
}

}  // namespace dpmix::pg
