#include "core/input/moment_frame_placer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dpmix {
namespace {

struct Map {  // from inputs to what stride pads; diagonal: as many, one number each
  std::size_t inputs, input_stride, stride;
  bool diagonal;
  const double *lower, *upper, *centre, *columns;
};

DPMIX_INLINE double total(const Lanes& x) {  // in one order, on every processor
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// offset = clamp(x) - centre; NaN stays NaN.
DPMIX_INLINE void centre(const Map& map, const double* x, double* offset) {
  std::size_t at = 0;
  for (; at + lanes <= map.inputs; at += lanes) {
    const Lanes lower = lanes_at(map.lower + at), upper = lanes_at(map.upper + at);
    Lanes value = lanes_at(x + at);
    value = value < lower ? lower : value;
    value = value > upper ? upper : value;
    lanes_at(offset + at) = value - lanes_at(map.centre + at);
  }
  for (; at < map.inputs; ++at) {  // one by one: lanes filled so would wait for their own stores
    double value = x[at];
    value = value < map.lower[at] ? map.lower[at] : value;
    value = value > map.upper[at] ? map.upper[at] : value;
    offset[at] = value - map.centre[at];
  }
  for (; at < map.input_stride; ++at) offset[at] = 0;
}

// y = W offset; returns |y|^2.
DPMIX_INLINE double whiten(const Map& map, const double* offset, double* y) {
  Lanes squares = {};
  for (std::size_t at = 0; at < map.stride; at += lanes) {
    const double* column = map.columns + at;
    Lanes even = {}, odd = {};  // two chains of additions: half the latency
    if (map.diagonal) {
      even = lanes_at(column) * lanes_at(offset + at);
    } else {
      std::size_t j = 0;
      for (; j + 1 < map.inputs; j += 2, column += 2 * map.stride) {
        even += lanes_at(column) * offset[j];
        odd += lanes_at(column + map.stride) * offset[j + 1];
      }
      if (j < map.inputs) even += lanes_at(column) * offset[j];
    }
    even += odd;
    lanes_at(y + at) = even;
    squares += even * even;
  }
  return total(squares);
}

DPMIX_VECTORIZE double whitened_norm2(const Map& map, const double* x) {
  alignas(64) double offset[FramePlacer::max_row], y[FramePlacer::max_row];
  centre(map, x, offset);
  return whiten(map, offset, y);
}

// Returns sum q_i^2 (exact: a sum of at most 104 integers below 2^41), NaN when the row is missing.
DPMIX_VECTORIZE double place_row(const Map& map, double radius, const double* x, std::int32_t* q) {
  alignas(64) double offset[FramePlacer::max_row], y[FramePlacer::max_row];
  centre(map, x, offset);
  const double norm2 = whiten(map, offset, y);
  if (norm2 != norm2) return norm2;
  const double shrink = norm2 > radius * radius ? radius / std::sqrt(norm2) : 1;
  Lanes squares = {};
  for (std::size_t at = 0; at < map.stride; at += lanes) {
    // Toward zero: no norm grows.
    const IntLanes rounded = __builtin_convertvector(lanes_at(y + at) * shrink, IntLanes);
    const Lanes exact = __builtin_convertvector(rounded, Lanes);
    lanes_at(q + at) = rounded;
    squares += exact * exact;
  }
  return total(squares);
}

DPMIX_VECTORIZE void project_row(const Map& map, const double* x, double* y) {
  alignas(64) double offset[FramePlacer::max_row];
  centre(map, x, offset);
  whiten(map, offset, y);
}

}  // namespace

void pull_inside(std::int32_t* q, std::size_t features, std::int64_t resolution) {
  std::int64_t excess = -resolution * resolution;
  for (std::size_t i = 0; i < features; ++i) excess += static_cast<std::int64_t>(q[i]) * q[i];
  while (excess > 0) {
    std::int32_t* top = std::max_element(
        q, q + features, [](std::int32_t a, std::int32_t b) { return std::abs(a) < std::abs(b); });
    excess -= 2 * static_cast<std::int64_t>(std::abs(*top)) - 1;
    *top -= *top > 0 ? 1 : -1;
  }
}

std::size_t FramePlacer::memory_size(const MomentFrame& frame) {
  const auto d = static_cast<std::size_t>(frame.features);
  const auto inputs = frame.projection ? static_cast<std::size_t>(frame.inputs()) : 0;
  return padded(d) * (2 + frame.classes.size() * (1 + (frame.diagonal ? 1 : d))) +
         3 * padded(inputs) + inputs * padded(d);
}

FramePlacer::FramePlacer(const MomentFrame& frame, double* memory)
    : memory_(memory),
      inputs_(frame.projection ? static_cast<std::size_t>(frame.inputs()) : 0),
      features_(static_cast<std::size_t>(frame.features)),
      stride_(padded(features_)),
      class_size_(stride_ * (1 + (frame.diagonal ? 1 : features_))),
      resolution_(frame.resolution),
      diagonal_(frame.diagonal) {
  std::fill_n(memory, memory_size(frame), 0.0);
  std::copy(frame.lower.begin(), frame.lower.end(), memory);
  std::copy(frame.upper.begin(), frame.upper.end(), memory + stride_);
  double* at = memory + 2 * stride_;
  for (const MomentFrame::Class& c : frame.classes) {
    std::copy(c.centre.begin(), c.centre.end(), at);
    double* columns = at + stride_;
    for (std::size_t n = 0; n < c.whitening.size(); ++n) {
      const std::size_t row = diagonal_ ? n : n / features_, column = diagonal_ ? 0 : n % features_;
      columns[column * stride_ + row] =
          c.whitening[n] / c.radius * static_cast<double>(resolution_);
    }
    at += class_size_;
  }
  if (!frame.projection) return;
  projection_ = at;
  for (const auto* values :
       {&frame.projection->lower, &frame.projection->upper, &frame.projection->centre}) {
    std::copy(values->begin(), values->end(), at);
    at += padded(inputs_);
  }
  for (std::size_t n = 0; n < frame.projection->map.size(); ++n) {
    at[n % inputs_ * stride_ + n / inputs_] = frame.projection->map[n];
  }
}

const double* FramePlacer::project(const double* x, double* y) const {
  if (inputs_ == 0) return x;
  const std::size_t stride = padded(inputs_);
  const double* at = projection_;
  project_row({inputs_, stride, stride_, false, at, at + stride, at + 2 * stride, at + 3 * stride},
              x, y);
  return y;
}

bool FramePlacer::place_projected(int k, const double* seen, std::int32_t* q) const {
  const double* at = class_memory(k);
  const double sum = place_row(
      {features_, stride_, stride_, diagonal_, memory_, memory_ + stride_, at, at + stride_},
      static_cast<double>(resolution_), seen, q);
  if (sum != sum) return false;
  // The guarantee is about the integers, so it is checked on them, whatever the proof says of the
  // floating point above.
  if (sum > static_cast<double>(resolution_ * resolution_)) pull_inside(q, features_, resolution_);
  return true;
}

double FramePlacer::norm2_projected(int k, const double* seen) const {
  const double* at = class_memory(k);
  return whitened_norm2(
      {features_, stride_, stride_, diagonal_, memory_, memory_ + stride_, at, at + stride_}, seen);
}

}  // namespace dpmix
