#include "core/input/moment_frame.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double version = 1, projected_version = 2;
constexpr std::size_t header = 5;
// Squared norms of what a row maps to stay finite: features * largest^2 * resolution^2 < 2^1023.
constexpr double largest = 1e140;

[[noreturn]] void refuse(std::string detail) {
  refuse_parameter(
      "invalid frame of class moments", std::move(detail),
      "Use the layout in the comment on dpmix_internal.class_moments, with finite public numbers.");
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool whole_between(double v, double low, double high) {
  return v >= low && v <= high && v == std::floor(v);
}

void check_inputs(double inputs, double features) {
  if (!whole_between(inputs, features, MomentFrame::max_features)) {
    refuse("Inputs of a projection must be as many as its features, to 100.");
  }
}

void check_shape(double classes, double features, double diagonal, double resolution) {
  if (!whole_between(features, 1, MomentFrame::max_features)) refuse("Features must be 1 to 100.");
  if (!whole_between(classes, 1, MomentFrame::max_classes)) refuse("Classes must be 1 to 1000.");
  if (classes * features * (features + 1) / 2 > MomentFrame::max_products) {
    refuse("classes * features * (features + 1) / 2 must be at most 2^20.");
  }
  if (diagonal != 0 && diagonal != 1) refuse("The diagonal flag must be 0 or 1.");
  if (!whole_between(resolution, 1, MomentFrame::max_resolution)) {
    refuse("The resolution must be an integer from 1 to 2^20.");
  }
}

std::size_t map_size(int features, bool diagonal) {
  const auto d = static_cast<std::size_t>(features);
  return diagonal ? d : d * d;
}

void check_box(const std::vector<double>& lower, const std::vector<double>& upper, std::size_t d) {
  if (lower.size() != d || upper.size() != d || !finite(lower) || !finite(upper)) {
    refuse("The box needs finite bounds, one pair for each feature.");
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (!(lower[i] < upper[i])) refuse("Each lower bound of the box must be below the upper one.");
  }
}

// The farthest that a row of the box gets from the centre along feature j.
double side(const std::vector<double>& lower, const std::vector<double>& upper,
            const std::vector<double>& centre, std::size_t j) {
  return std::max(std::abs(lower[j] - centre[j]), std::abs(upper[j] - centre[j]));
}

void check_projection(const MomentFrame::Projection& p, std::size_t features) {
  const std::size_t inputs = p.centre.size();
  check_inputs(static_cast<double>(inputs), static_cast<double>(features));
  check_box(p.lower, p.upper, inputs);
  if (!finite(p.centre) || p.map.size() != features * inputs || !finite(p.map)) {
    refuse("A projection must be finite, with a number for each input and feature.");
  }
  for (std::size_t i = 0; i < features; ++i) {
    double reach = 0;
    for (std::size_t j = 0; j < inputs; ++j) {
      reach += std::abs(p.map[i * inputs + j]) * side(p.lower, p.upper, p.centre, j);
    }
    if (!(reach <= largest)) refuse("The projected box is too large.");
  }
}

}  // namespace

int MomentFrame::inputs() const {
  return projection ? static_cast<int>(projection->centre.size()) : features;
}

void MomentFrame::check() const {
  check_shape(static_cast<double>(classes.size()), features, diagonal,
              static_cast<double>(resolution));
  const auto d = static_cast<std::size_t>(features);
  if (projection) check_projection(*projection, d);
  check_box(lower, upper, d);
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
        const double far = side(lower, upper, c.centre, j);
        if (!(scaled <= largest && far <= largest)) refuse("The whitened box is too large.");
        reach += scaled * far;
      }
      if (!(reach <= largest)) refuse("The whitened box is too large.");
    }
  }
}

std::vector<double> MomentFrame::pack() const {
  check();
  std::vector<double> packed = {projection ? projected_version : version,
                                static_cast<double>(classes.size()), static_cast<double>(features),
                                diagonal ? 1.0 : 0.0, static_cast<double>(resolution)};
  const auto append = [&](const std::vector<double>& values) {
    packed.insert(packed.end(), values.begin(), values.end());
  };
  if (projection) {
    packed.push_back(inputs());
    append(projection->lower);
    append(projection->upper);
    append(projection->centre);
    append(projection->map);
  }
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
  if (packed.size() < header || (packed[0] != version && packed[0] != projected_version)) {
    refuse("The array is not a packed frame.");
  }
  const auto take = [&](std::size_t count) {
    if (packed.size() < count) refuse("The array's length does not fit the shape in its header.");
    const auto front = packed.first(count);
    packed = packed.subspan(count);
    return std::vector<double>(front.begin(), front.end());
  };
  const std::vector<double> head = take(header);
  check_shape(head[1], head[2], head[3], head[4]);
  MomentFrame frame;
  frame.features = static_cast<int>(head[2]);
  frame.diagonal = head[3] == 1;
  frame.resolution = static_cast<std::int64_t>(head[4]);
  const auto d = static_cast<std::size_t>(frame.features);
  if (head[0] == projected_version) {
    const double inputs = take(1)[0];
    check_inputs(inputs, head[2]);
    const auto n = static_cast<std::size_t>(inputs);
    Projection& p = frame.projection.emplace();
    p.lower = take(n);
    p.upper = take(n);
    p.centre = take(n);
    p.map = take(d * n);
  }
  frame.lower = take(d);
  frame.upper = take(d);
  for (double k = 0; k < head[1]; ++k) {
    Class& c = frame.classes.emplace_back();
    c.radius = take(1)[0];
    c.centre = take(d);
    c.whitening = take(map_size(frame.features, frame.diagonal));
  }
  frame.check();
  return frame;
}

}  // namespace dpmix
