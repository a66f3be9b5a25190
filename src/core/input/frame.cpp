#include "core/input/frame.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace dpmix {
namespace {

constexpr double version = 1;
constexpr std::size_t header = 5;
// Squared norms of what a row maps to stay finite: features * largest^2 * resolution^2 < 2^1023.
constexpr double largest = 1e140;

[[noreturn]] void refuse(std::string detail) {
  throw Error(ErrorCode::invalid_parameter, "invalid frame of class moments", std::move(detail),
              "Use the layout in the comment on dpmix.class_moments, with finite public numbers.");
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

void check_shape(double classes, double features, double diagonal, double resolution) {
  const auto whole = [](double v, double low, double high) {
    return v >= low && v <= high && v == std::floor(v);
  };
  if (!whole(features, 1, MomentFrame::max_features)) refuse("Features must be 1 to 100.");
  if (!whole(classes, 1, MomentFrame::max_classes)) refuse("Classes must be 1 to 1000.");
  if (classes * features * (features + 1) / 2 > MomentFrame::max_products) {
    refuse("classes * features * (features + 1) / 2 must be at most 2^20.");
  }
  if (diagonal != 0 && diagonal != 1) refuse("The diagonal flag must be 0 or 1.");
  if (!whole(resolution, 1, MomentFrame::max_resolution)) {
    refuse("The resolution must be an integer from 1 to 2^20.");
  }
}

std::size_t map_size(int features, bool diagonal) {
  const auto d = static_cast<std::size_t>(features);
  return diagonal ? d : d * d;
}

}  // namespace

void MomentFrame::check() const {
  check_shape(static_cast<double>(classes.size()), features, diagonal,
              static_cast<double>(resolution));
  const auto d = static_cast<std::size_t>(features);
  if (lower.size() != d || upper.size() != d || !finite(lower) || !finite(upper)) {
    refuse("The box needs finite bounds, one pair for each feature.");
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (!(lower[i] < upper[i])) refuse("Each lower bound of the box must be below the upper one.");
  }
  for (const Class& c : classes) {
    if (!std::isnormal(c.radius) || c.radius < 0) refuse("Radii must be finite and positive.");
    if (c.centre.size() != d || !finite(c.centre)) {
      refuse("Centres must be finite, with one number for each feature.");
    }
    if (c.whitening.size() != map_size(features, diagonal) || !finite(c.whitening)) {
      refuse("Whitening maps must be finite and of the features' size.");
    }
    for (std::size_t i = 0; i < d; ++i) {
      double reach = 0;
      for (std::size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : d); ++j) {
        const double map = std::abs(c.whitening[diagonal ? i : i * d + j]);
        const double scaled = map / c.radius * static_cast<double>(resolution);
        const double side =
            std::max(std::abs(lower[j] - c.centre[j]), std::abs(upper[j] - c.centre[j]));
        if (!(scaled <= largest && side <= largest)) refuse("The whitened box is too large.");
        reach += scaled * side;
      }
      if (!(reach <= largest)) refuse("The whitened box is too large.");
    }
  }
}

std::vector<double> MomentFrame::pack() const {
  check();
  std::vector<double> packed = {version, static_cast<double>(classes.size()),
                                static_cast<double>(features), diagonal ? 1.0 : 0.0,
                                static_cast<double>(resolution)};
  const auto append = [&](const std::vector<double>& values) {
    packed.insert(packed.end(), values.begin(), values.end());
  };
  append(lower);
  append(upper);
  for (const Class& c : classes) {
    packed.push_back(c.radius);
    append(c.centre);
    append(c.whitening);
  }
  return packed;
}

MomentFrame MomentFrame::unpack(std::span<const double> packed) {
  MomentFrame frame = unpack_front(packed);
  if (!packed.empty()) refuse("The array's length does not fit the shape in its header.");
  return frame;
}

MomentFrame MomentFrame::unpack_front(std::span<const double>& packed) {
  if (packed.size() < header || packed[0] != version) refuse("The array is not a packed frame.");
  check_shape(packed[1], packed[2], packed[3], packed[4]);
  MomentFrame frame;
  frame.classes.resize(static_cast<std::size_t>(packed[1]));
  frame.features = static_cast<int>(packed[2]);
  frame.diagonal = packed[3] == 1;
  frame.resolution = static_cast<std::int64_t>(packed[4]);
  const auto d = static_cast<std::size_t>(frame.features);
  const std::size_t map = map_size(frame.features, frame.diagonal);
  if (packed.size() < header + 2 * d + frame.classes.size() * (1 + d + map)) {
    refuse("The array's length does not fit the shape in its header.");
  }
  packed = packed.subspan(header);
  const auto take = [&](std::size_t count) {
    const auto front = packed.first(count);
    packed = packed.subspan(count);
    return std::vector<double>(front.begin(), front.end());
  };
  frame.lower = take(d);
  frame.upper = take(d);
  for (Class& c : frame.classes) {
    c.radius = take(1)[0];
    c.centre = take(d);
    c.whitening = take(map);
  }
  frame.check();
  return frame;
}

}  // namespace dpmix
