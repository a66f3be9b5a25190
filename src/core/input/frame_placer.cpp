#include "core/input/frame_placer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/vectorize.hpp"

namespace dpmix {
namespace {

constexpr std::size_t max_stride = padded(MomentFrame::max_features);

struct Sizes {
  std::size_t features, stride;
  bool diagonal;
  const double *lower, *upper, *centre, *map;
};

// y = R/r W (clamp(x) - c), padded with zeros. Returns |y|^2, NaN when a feature is. Lane by lane,
// so the order of the additions is the same on every processor.
DPMIX_VECTORIZE double whiten(const Sizes& s, const double* x, double* y) {
  double offset[max_stride];
  const std::size_t blocks = s.stride / lanes;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t at = b * lanes;
    Lanes value = {};
    std::memcpy(&value, x + at, std::min(lanes, s.features - at) * sizeof(double));
    const Lanes lower = *reinterpret_cast<const Lanes*>(s.lower + at);
    const Lanes upper = *reinterpret_cast<const Lanes*>(s.upper + at);
    const Lanes centre = *reinterpret_cast<const Lanes*>(s.centre + at);
    value = value < lower ? lower : value;  // false for NaN, which stays
    value = value > upper ? upper : value;
    *reinterpret_cast<Lanes*>(offset + at) = value - centre;
  }
  Lanes squares = {};
  for (std::size_t b = 0; b < blocks; ++b) {
    const double* map = s.map + b * lanes;
    Lanes sum = {};
    if (s.diagonal) {
      sum = *reinterpret_cast<const Lanes*>(map) * *reinterpret_cast<Lanes*>(offset + b * lanes);
    } else {
      Lanes odd = {};
      std::size_t j = 0;
      for (; j + 1 < s.features; j += 2) {
        sum += *reinterpret_cast<const Lanes*>(map + j * s.stride) * offset[j];
        odd += *reinterpret_cast<const Lanes*>(map + (j + 1) * s.stride) * offset[j + 1];
      }
      if (j < s.features) sum += *reinterpret_cast<const Lanes*>(map + j * s.stride) * offset[j];
      sum += odd;
    }
    *reinterpret_cast<Lanes*>(y + b * lanes) = sum;
    squares += sum * sum;
  }
  return ((squares[0] + squares[4]) + (squares[2] + squares[6])) +
         ((squares[1] + squares[5]) + (squares[3] + squares[7]));
}

}  // namespace

std::size_t FramePlacer::memory_size(const MomentFrame& frame) {
  const auto d = static_cast<std::size_t>(frame.features);
  return padded(d) * (2 + frame.classes.size() * (1 + (frame.diagonal ? 1 : d)));
}

FramePlacer::FramePlacer(const MomentFrame& frame, double* memory)
    : memory_(memory),
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
    const double scale = static_cast<double>(resolution_);
    std::copy(c.centre.begin(), c.centre.end(), at);
    double* map = at + stride_;
    for (std::size_t n = 0; n < c.whitening.size(); ++n) {
      const std::size_t row = diagonal_ ? n : n / features_, column = diagonal_ ? 0 : n % features_;
      map[column * stride_ + row] = c.whitening[n] / c.radius * scale;
    }
    at += class_size_;
  }
}

bool FramePlacer::place(int k, const double* x, std::int32_t* q) const {
  const double* at = memory_ + 2 * stride_ + static_cast<std::size_t>(k) * class_size_;
  alignas(8) double y[max_stride];
  const Sizes sizes{features_, stride_, diagonal_, memory_, memory_ + stride_, at, at + stride_};
  const double norm2 = whiten(sizes, x, y);
  if (norm2 != norm2) return false;
  const double radius = static_cast<double>(resolution_);
  const double shrink = norm2 > radius * radius ? radius / std::sqrt(norm2) : 1;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < features_; ++i) {
    q[i] = static_cast<std::int32_t>(y[i] * shrink);  // toward zero: no norm grows
    sum += static_cast<std::int64_t>(q[i]) * q[i];
  }
  // The guarantee is about the integers. Should rounding in the lines above have let the norm slip
  // past the radius, the largest coordinate (the first of equals) goes one step towards zero.
  while (sum > resolution_ * resolution_) {
    std::int32_t* top = std::max_element(q, q + features_, [](std::int32_t a, std::int32_t b) {
      return std::abs(a) < std::abs(b);
    });
    sum -= 2 * static_cast<std::int64_t>(std::abs(*top)) - 1;
    *top -= *top > 0 ? 1 : -1;
  }
  return true;
}

}  // namespace dpmix
