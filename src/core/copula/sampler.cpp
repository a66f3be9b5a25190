#include "core/copula/sampler.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/index.hpp"
#include "core/base/poll.hpp"

namespace dpmix {

CopulaSampler::CopulaSampler(const CopulaModel& model)
    : BlockSampler(model.columns, 1 << 15), orders_(rank_orders(model.columns)) {
  for (const Matrix& correlation : model.correlation) {
    const std::size_t d = index(columns());
    normal_.emplace_back(GaussianMixture{
        columns(),
        {{1, 0, std::vector<double>(d, 0.), {correlation.data(), correlation.data() + d * d}}}});
  }
  codes_.resize(index(columns()));
}

void CopulaSampler::draw(RandomStream& random, int rows) {
  apportion(random, law_.classes(), index(rows), labels_);
  shuffle(random, labels_);
  for (std::vector<int>& codes : codes_) codes.resize(index(rows));
  const std::size_t d = index(columns());
  std::vector<std::vector<std::size_t>> of_class(normal_.size());
  for (std::size_t r = 0; r < labels_.size(); ++r) of_class[index(labels_[r])].push_back(r);
  std::vector<double> normal, in_order;
  std::vector<std::size_t> order;
  std::vector<int> drawn;
  for (std::size_t k = 0; k < of_class.size(); ++k) {
    const std::vector<std::size_t>& here = of_class[k];
    normal.resize(here.size() * d);
    for (std::size_t r = 0; r < here.size(); ++r) {
      if (r % 1024 == 0) poll();
      (void)normal_[k].draw(random, normal.data() + r * d);
    }
    order.resize(here.size());
    for (const ConditionalTable& table : law_.tables()) {
      poll();
      const std::size_t i = index(table.column), width = index(table.codes);
      in_order.clear();
      for (const int code : orders_[i]) {
        in_order.push_back(table.probability[k * width + index(code)]);
      }
      apportion(random, in_order, here.size(), drawn);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return normal[a * d + i] < normal[b * d + i];
      });
      for (std::size_t n = 0; n < order.size(); ++n)
        codes_[i][here[order[n]]] = orders_[i][index(drawn[n])];
    }
  }
}

}  // namespace dpmix
