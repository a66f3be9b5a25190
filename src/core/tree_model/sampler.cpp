#include "core/tree_model/sampler.hpp"

#include "core/base/index.hpp"
#include "core/base/poll.hpp"

namespace dpmix {

void TreeSampler::draw(RandomStream& random, int rows) {
  apportion(random, law_.classes(), index(rows), labels_);
  shuffle(random, labels_);
  for (const ConditionalTable& table : law_.tables()) {
    poll();
    draw_column(random, table);
  }
}

// Rows with the same class and parents' codes share a row of the table.
void TreeSampler::draw_column(RandomStream& random, const ConditionalTable& table) {
  const std::size_t rows = labels_.size(), width = index(table.codes);
  const std::size_t groups = table.probability.size() / width;
  key_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t key = index(labels_[r]);
    for (const int parent : table.parents) {
      key = key * index(law_.codes()[index(parent)]) + index(codes_[index(parent)][r]);
    }
    key_[r] = key;
  }
  start_.assign(groups + 1, 0);
  for (const std::size_t key : key_) ++start_[key + 1];
  for (std::size_t g = 0; g < groups; ++g) start_[g + 1] += start_[g];
  order_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) order_[start_[key_[r]]++] = r;  // start is the end now
  std::vector<int>& codes = codes_[index(table.column)];
  codes.resize(rows);
  const std::span<const double> all(table.probability);
  for (std::size_t g = 0, first = 0; g < groups; first = start_[g++]) {
    const std::size_t count = start_[g] - first;
    if (count == 0) continue;
    apportion(random, all.subspan(g * width, width), count, drawn_);
    shuffle(random, drawn_);
    for (std::size_t i = 0; i < count; ++i) codes[order_[first + i]] = drawn_[i];
  }
}

}  // namespace dpmix
