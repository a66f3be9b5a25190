#include "core/random/inversion_table.hpp"

#include <algorithm>
#include <bit>

namespace dpmix {

InversionTable::InversionTable(const std::vector<UInt128>& cumulative) {
  high_.reserve(cumulative.size());
  low_.reserve(cumulative.size());
  for (const UInt128 value : cumulative) {
    high_.push_back(static_cast<std::uint64_t>(value >> 64));
    low_.push_back(static_cast<std::uint64_t>(value));
  }
  // About one entry a cell when the law is flat.
  const std::size_t cells = std::bit_ceil(high_.size() + 2);
  guide_shift_ = 64 - std::countr_zero(cells);
  guide_.reserve(cells + 1);
  std::size_t i = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    while (i < high_.size() && high_[i] >> guide_shift_ < cell) ++i;
    guide_.push_back(static_cast<std::uint32_t>(i));
  }
  guide_.push_back(static_cast<std::uint32_t>(high_.size()));
}

std::size_t InversionTable::draw(RandomStream& random) const {
  const std::uint64_t word = random.next64();
  const std::uint64_t cell = word >> guide_shift_;
  const auto first =
      std::lower_bound(high_.begin() + guide_[cell], high_.begin() + guide_[cell + 1], word);
  auto index = static_cast<std::size_t>(first - high_.begin());
  if (index < high_.size() && high_[index] == word) {
    const std::uint64_t low_word = random.next64();
    while (index < high_.size() && high_[index] == word && low_[index] <= low_word) ++index;
  }
  return index;
}

}  // namespace dpmix
