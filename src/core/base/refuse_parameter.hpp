// Refusing a parameter: Error PV005, with the value given as the user would write it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace dpmix {

// The shortest decimal that reads back as the same double.
std::string shortest(double value);

[[noreturn]] void refuse_parameter(std::string message, std::string detail, std::string hint);

// "invalid NAME", unless valid.
void check_parameter(bool valid, const char* name, double value, const char* range);
// "WHAT out of range", unless it holds.
void require_in_range(bool holds, std::string_view what, double value, std::string_view range);

// What every mechanism takes: 1e-6 <= epsilon <= 1e7, 0 <= delta <= .5.
void check_epsilon_delta(double epsilon, double delta);

// The least delta above 0 of a mechanism: below it certificates have no doubles to speak of.
inline constexpr double kLeastDelta = 1e-300;

}  // namespace dpmix
