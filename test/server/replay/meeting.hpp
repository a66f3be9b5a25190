// What core's half of the replay audit sees (docs/proofs/replay.md): each meeting of exact integers
// with noise, as words of its law, the integers and what came of them. Included where DPMIX_REPLAY
// is defined, by core/random/noisy.hpp alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/int128.hpp"
#include "core/random/stream.hpp"

namespace dpmix::replay {

// Whether this process makes a release that is recorded or replayed.
bool at_work();

using Make = std::function<std::vector<Int128>(RandomStream&)>;
// Writes the meeting down. What it returns is made, of noise of the audit's own, or, on a replay,
// what the same meeting gave when it was recorded.
std::vector<Int128> meet(const std::string& law, const std::vector<Int128>& exact,
                         const Make& make);

std::string word(const char* name, std::initializer_list<double> numbers);

// Laws differ in what they have; `words` is that of how[...] they are checked.
template <class Law>
std::string words_of(const Law& law) {
  if constexpr (requires { law.visit([](const auto&) {}); }) {
    return law.visit([](const auto& of) { return words_of(of); });
  } else if constexpr (requires { law.deviation(); }) {
    return word("gaussian", {law.deviation()});
  } else if constexpr (requires { law.rest(); }) {
    std::string all = word("shared", {law.rest()});
    for (const auto& part : law.parts()) all += word("", {part.deviation, part.coefficient});
    return all;
  } else if constexpr (requires { law.parts(); }) {
    std::string all = word("box", {law.rate()});
    for (const auto& part : law.parts()) all += word("", {static_cast<double>(part.steps)});
    return all;
  } else if constexpr (requires { law.rate(); }) {
    return word("laplace", {law.rate().approximate()});
  } else if constexpr (requires { law.normal; }) {
    return word("mixture", {to_double(law.sensitivity), law.normal.deviation()});
  } else {
    return word("other", {static_cast<double>(law.law.family), law.law.sensitivity,
                          static_cast<double>(law.law.steps.sensitivity)});
  }
}

template <class Law>
std::vector<Int128> released(const Law& law, const std::vector<Int128>& exact) {
  return meet(words_of(law), exact, [&](RandomStream& random) {
    std::vector<Int128> sums = exact;
    if constexpr (requires { law(random).size(); }) {
      const std::vector<Int128> noise = law(random);
      for (std::size_t i = 0; i < sums.size(); i++) sums[i] += noise[i];
    } else {
      sums.front() += law(random);
    }
    return sums;
  });
}

// DP-CDA: which synthetic rows a record joins is a function of the seed, of what the record is and
// of how many equal ones came before. first: the first row of the block that is made.
std::uint64_t draws_of_record(int k, std::int64_t first, std::span<const std::int32_t> record);
bool joins(std::uint64_t draws, std::int64_t row, double exponent);
// What meets noise from here on is of this row.
void see_row(std::int64_t row);

}  // namespace dpmix::replay
