#include "core/random/normal_cells.hpp"

#include <algorithm>

#include "core/random/exact_exp.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

Bracket product(const Bracket& a, const Bracket& b, int places) {
  return {a.low * b.low >> places, (a.high * b.high >> places) + 1};
}

// P(cell <= j) for j = 0, 1, ... as far as `bits` digits see it.
std::vector<Bracket> cumulative(int bits) {
  constexpr int guard = 32;
  const int places = bits + guard;
  const int scale = 2 << (2 * NormalCells::width_bits);  // g(i) = e^{-i^2 / scale}
  Bracket g = exp_minus(0, places);
  Bracket ratio = exp_minus(cpp_rational(1, scale), places);  // g(i+1) / g(i)
  const Bracket fall = exp_minus(cpp_rational(2, scale), places);
  std::vector<Bracket> sums;
  Bracket total{0, 0};
  for (int i = 0; i < 64 || g.high > 64; ++i) {
    total.low += g.low;
    total.high += g.high;
    sums.push_back(total);
    g = product(g, ratio, places);
    ratio = product(ratio, fall, places);
  }
  total.high += 64 * 65;  // the rest: see the proof
  for (Bracket& sum : sums) {
    sum.low = (sum.low << bits) / total.high;
    sum.high = (sum.high << bits) / total.low + 1;
  }
  return sums;
}

NormalCells make_cells() {
  NormalCells cells;
  constexpr int more = 64;
  for (const Bracket& p : cumulative(64 + more)) {
    const cpp_int digits = p.low >> more;
    if (digits != p.high >> more) break;  // the tail, where the sum is 1 to all digits
    cells.at_most.push_back(static_cast<std::uint64_t>(digits));
  }
  constexpr int rest = 64 - NormalCells::slot_bits;
  for (std::uint64_t i = 0; i < cells.slot.size(); ++i) {
    const std::uint64_t first = i << rest, last = first | ((std::uint64_t{1} << rest) - 1);
    // Both ends strictly between the same two entries: no tie inside.
    const auto cell = [&](std::uint64_t digits) {
      return std::upper_bound(cells.at_most.begin(), cells.at_most.end(), digits);
    };
    const auto above = cell(last);
    const bool told = above != cells.at_most.begin() && above != cells.at_most.end() &&
                      *(above - 1) < first && above - cells.at_most.begin() < 256;
    cells.slot[i] = told ? static_cast<std::uint8_t>(above - cells.at_most.begin()) : 0;
  }
  return cells;
}

}  // namespace

std::uint64_t NormalCells::find(RandomStream& random, std::uint64_t slot_digits) const {
  const std::uint64_t word = random.next64();
  const std::uint64_t digits = slot_digits << (64 - slot_bits) | word >> slot_bits;
  if (digits < at_most.front()) return 0;
  // The cell of the slot before, or the next, is the likely one.
  const auto near = at_most.begin() + (slot_digits == 0 ? 0 : slot[slot_digits - 1]);
  const auto above = std::find_if(near, at_most.end(), [&](auto sum) { return digits < sum; });
  if (above != at_most.end() && *(above - 1) != digits) {
    return static_cast<std::uint64_t>(above - at_most.begin());
  }
  LazyUniform u{cpp_int(slot_digits) << 64 | word, slot_bits + 64};
  return exact_normal_cell(random, u);
}

const NormalCells& normal_cells() {
  static const NormalCells cells = make_cells();
  return cells;
}

std::uint64_t exact_normal_cell(RandomStream& random, LazyUniform& u) {
  for (;; u.reveal(random)) {
    constexpr int more = 64;
    const cpp_int low = u.value << more, high = (u.value + 1) << more;
    const std::vector<Bracket> sums = cumulative(u.bits + more);
    const auto above =
        std::find_if(sums.begin(), sums.end(), [&](const Bracket& sum) { return high <= sum.low; });
    if (above != sums.end() && (above == sums.begin() || (above - 1)->high <= low)) {
      return static_cast<std::uint64_t>(above - sums.begin());
    }
  }
}

}  // namespace dpmix
