// Reads a packed array of numbers from front to back, whatever it holds: nothing is allocated
// before the numbers that fill it are known to be there.
//
// Enters: any doubles, and the texts of the Error PV005 that every refusal throws.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {

class PackedReader {
 public:
  struct Refusal {
    const char *message, *detail, *hint;
  };
  PackedReader(std::span<const double> numbers, const Refusal& refusal)
      : numbers_(numbers), refusal_(refusal) {}

  void require(bool holds) const {
    if (!holds) refuse_parameter(refusal_.message, refusal_.detail, refusal_.hint);
  }
  double number() { return take(1).front(); }
  int whole(int least, int most) {
    const double x = number();
    require(x >= least && x <= most && x == std::floor(x));
    return static_cast<int>(x);
  }
  std::size_t count(int most) { return static_cast<std::size_t>(whole(0, most)); }
  std::vector<double> numbers(std::size_t count) {
    const auto taken = take(count);
    return {taken.begin(), taken.end()};
  }
  std::vector<int> wholes(std::size_t count, int least, int most) {
    require(count <= numbers_.size());
    std::vector<int> wholes;
    wholes.reserve(count);
    while (wholes.size() < count) wholes.push_back(whole(least, most));
    return wholes;
  }
  std::span<const double> rest() { return take(numbers_.size()); }  // all that is left
  bool done() const { return numbers_.empty(); }
  void end() const { require(done()); }

 private:
  std::span<const double> take(std::size_t count) {
    require(count <= numbers_.size());
    const auto taken = numbers_.first(count);
    numbers_ = numbers_.subspan(count);
    return taken;
  }

  std::span<const double> numbers_;
  Refusal refusal_;
};

}  // namespace dpmix
