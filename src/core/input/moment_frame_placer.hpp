// A MomentFrame made ready for many rows: maps scaled to the lattice, transposed and padded.
//
// A view on memory that the caller keeps: trivially copyable, allocates nothing, never throws.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/vectorize.hpp"
#include "core/input/moment_frame.hpp"

namespace dpmix {

// Steps the largest coordinate (the first of equals) towards zero until sum q_i^2 <= resolution^2.
void pull_inside(std::int32_t* q, std::size_t features, std::int64_t resolution);

class FramePlacer {
 public:
  // Room for the integers of any row.
  static constexpr std::size_t max_row = padded(MomentFrame::max_features);

  static std::size_t memory_size(const MomentFrame& frame);  // in doubles
  FramePlacer() = default;
  FramePlacer(const MomentFrame& frame, double* memory);

  // The integer vector of a row of class k, 0 <= k < classes. x has one entry per input; q has
  // padded(features), the last of them 0. False when the row is missing: an input is NaN. q is
  // then unspecified.
  bool place(int k, const double* x, std::int32_t* q) const {
    alignas(64) double y[max_row];
    return place_projected(k, project(x, y), q);
  }
  // The same in two steps, for a row that is looked at from many classes: what the frame sees of x
  // (x itself, or its projection in y, of max_row numbers), then where that is placed.
  const double* project(const double* x, double* y) const;
  bool place_projected(int k, const double* seen, std::int32_t* q) const;
  // The squared norm of what is seen before clipping and rounding, in lattice steps; finite, or NaN
  // when the row is missing.
  double norm2_projected(int k, const double* seen) const;

  int inputs() const { return static_cast<int>(inputs_ == 0 ? features_ : inputs_); }

 private:
  const double* class_memory(int k) const {
    return memory_ + 2 * stride_ + static_cast<std::size_t>(k) * class_size_;
  }

  const double* memory_ = nullptr;      // lower, upper; per class: centre, columns of the map
  const double* projection_ = nullptr;  // lower, upper, centre, columns of the map
  std::size_t inputs_ = 0;              // of the projection; 0: there is none
  std::size_t features_ = 0, stride_ = 0, class_size_ = 0;
  std::int64_t resolution_ = 1;
  bool diagonal_ = false;
};

}  // namespace dpmix
