// One exponential tilt of a composition of laws of losses: exact sums of the tilted masses, and
// their convolution by FFT on a window of the grid, with proved bounds on all it may be wrong by.
// Internal to loss_composition.cpp. Proofs: docs/proofs/loss_distribution.md.
#pragma once

#include <cstdint>
#include <vector>

namespace dpmix {

struct LossPart {  // one law, so many times: the grid points with mass, in logarithms
  std::int64_t times = 0;
  double step = 0, infinite = 0;
  double largest_log = 0, largest_loss = 0;  // in absolute value
  std::vector<std::int64_t> indices = {};    // increasing
  std::vector<double> losses = {}, log_masses = {};

  void add(std::int64_t index, double log_mass);
};

// log sum mass e^{tilt loss} of all parts together, with its first two derivatives.
class TiltedLosses {
 public:
  static constexpr double kLeast = 1e-3, kMost = 1e6;  // of tilts worth a look

  TiltedLosses(const std::vector<LossPart>& parts, double tilt);
  // The losses at about the tilt, kLeast to kMost, that makes this loss their mean: there round-off
  // is smallest. Any other tilt would be valid.
  static TiltedLosses centred(const std::vector<LossPart>& parts, double loss);

  double tilt() const { return tilt_; }
  double log() const { return log_; }
  double mean() const { return mean_; }
  double deviation() const;
  double part_log(std::size_t i) const { return part_log_[i]; }
  // What log() may be wrong by.
  double sum_error() const { return sum_error_; }

 private:
  double tilt_;
  std::vector<double> part_log_;
  double log_ = 0, mean_ = 0, variance_ = 0, sum_error_ = 0;
};

// The composition on a window of the grid, tilted: y_J e^{log - tilt J step} bounds the mass of the
// total loss J step from above, but for the errors that bound() adds.
class TiltedComposition {
 public:
  static constexpr std::int64_t kMostPoints = std::int64_t{1} << 20;  // 50 MB

  // The window reaches down to the index `wanted` where that costs nothing much. It has at most
  // most_points points, a power of two from 1024 on.
  TiltedComposition(const std::vector<LossPart>& parts, const TiltedLosses& at, std::int64_t wanted,
                    std::int64_t most_points = kMostPoints);

  // Goes through delta(J step), from above, for J from the top of the window down.
  class Fall {
   public:
    explicit Fall(const TiltedComposition& of);
    std::int64_t index() const { return j_; }
    bool ended() const { return j_ < of_->lowest_; }
    double bound() const;
    // How much of the bound is due to round-off and to the window's ends, about.
    double blur() const;
    void down();

   private:
    double round_off() const;

    const TiltedComposition* of_;
    std::int64_t j_;
    double shrink_, grow_, margin_, root_reach_;
    double above_ = 0, delta_ = 0;  // of what lies above J: its mass, and delta(J step)
  };

 private:
  void choose_window(const std::vector<LossPart>& parts, const TiltedLosses& at,
                     std::int64_t wanted, std::int64_t most_points);
  void convolve(const std::vector<LossPart>& parts, const TiltedLosses& at);
  std::int64_t points() const { return static_cast<std::int64_t>(y_.size()); }
  std::size_t slot(std::int64_t j) const;

  double step_, tilt_, log_;
  std::int64_t lowest_ = 0;
  std::vector<double> y_;  // at J mod its size
  double infinite_ = 0, beyond_ = 0, error_ = 0, relative_ = 0;
  double outside_ = 0;  // at most so much of the tilted law lies outside of the window
};

}  // namespace dpmix
