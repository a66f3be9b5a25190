#include "core/accounting/three_digits.hpp"

#include <charconv>
#include <string>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr int kPerDecade = 900, kNumbers = 14 * kPerDecade;

double number(int i) {
  const std::string text =
      std::to_string(100 + i % kPerDecade) + "e" + std::to_string(i / kPerDecade - 8);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

double largest_of_three_digits(const std::function<bool(double)>& too_much) {
  if (too_much(number(0))) return 0;
  int most = 0, above = kNumbers;
  while (above - most > 1) {
    poll();
    const int middle = most + (above - most) / 2;
    (too_much(number(middle)) ? above : most) = middle;
  }
  return number(most);
}

}  // namespace dpmix
