#include "core/input/mixture_frame.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

// Below e^-14 of the largest, a share is 0 in units of 1/whole: no need for the exponential.
constexpr double kNoShare = -14;

}  // namespace

std::vector<double> MixtureFrame::extra() const {
  std::vector<double> extra = {hard ? 1. : 0.};
  extra.insert(extra.end(), log_weight.begin(), log_weight.end());
  extra.insert(extra.end(), tightness.begin(), tightness.end());
  if (density) {
    const std::vector<double> packed = density->pack();
    extra.insert(extra.end(), packed.begin(), packed.end());
  }
  return extra;
}

MixtureFrame MixtureFrame::unpack(std::span<const double> packed) {
  MixtureFrame out;
  out.frame = MomentFrame::unpack_front(packed);
  const std::size_t k = out.frame.classes.size();
  const auto small = [](double v) { return std::abs(v) <= 1e140; };
  bool valid = packed.size() >= 1 + 2 * k;
  if (valid) {
    const auto weights = packed.subspan(1, k), tight = packed.subspan(1 + k, k);
    valid = (packed[0] == 0 || packed[0] == 1) &&
            std::all_of(weights.begin(), weights.end(), small) &&
            std::all_of(tight.begin(), tight.end(), [&](double v) { return v >= 0 && small(v); });
    out.hard = packed[0] == 1;
    out.log_weight.assign(weights.begin(), weights.end());
    out.tightness.assign(tight.begin(), tight.end());
    packed = packed.subspan(1 + 2 * k);
    if (valid && !packed.empty()) {
      out.density = MomentFrame::unpack(packed);
      valid = out.density->classes.size() == k && out.density->features == out.frame.features;
    }
  }
  if (!valid) {
    refuse_parameter(
        "invalid frame of a mixture",
        "After the frame come a flag 0 or 1, then finite log weights and tightnesses >= 0, "
        "one for each component, then nothing or a frame of as many classes and features.",
        "Use the layout in the comment on dpmix_internal.soft_moments.");
  }
  return out;
}

std::size_t MixturePlacer::memory_size(const MixtureFrame& frame) {
  return FramePlacer::memory_size(frame.frame) +
         (frame.density ? FramePlacer::memory_size(*frame.density) : 0) +
         2 * frame.frame.classes.size();
}

MixturePlacer::MixturePlacer(const MixtureFrame& frame, double* memory)
    : placer_(frame.frame, memory),
      density_(placer_),
      components_(static_cast<int>(frame.frame.classes.size())),
      hard_(frame.hard) {
  memory += FramePlacer::memory_size(frame.frame);
  if (frame.density) {
    density_ = FramePlacer(*frame.density, memory);
    memory += FramePlacer::memory_size(*frame.density);
  }
  const std::size_t k = frame.frame.classes.size();
  std::copy(frame.log_weight.begin(), frame.log_weight.end(), memory);
  for (std::size_t i = 0; i < k; ++i) {
    const double step = (frame.density ? *frame.density : frame.frame).step(i);
    // Finite: at distance 0 an infinite one would make a density that is no number.
    memory[k + i] = std::min(frame.tightness[i] * step * step / 2, DBL_MAX);
  }
  log_weight_ = memory;
  tightness_ = memory + k;
}

int MixturePlacer::densities(const double* x, double* log_density, double* most) const {
  alignas(64) double y[FramePlacer::max_row];
  const double* seen = placer_.project(x, y);  // the frame of densities looks at what this one sees
  *most = -HUGE_VAL;
  int likeliest = 0;
  for (int k = 0; k < components_; ++k) {
    const double far = density_.norm2_projected(k, seen);
    if (far != far) return -1;
    const double p = log_weight_[k] - tightness_[k] * far;
    if (log_density != nullptr) log_density[k] = p;
    if (p > *most) *most = p, likeliest = k;
  }
  return likeliest;
}

bool MixturePlacer::shares(const double* x, std::int64_t* shares) const {
  std::array<double, MomentFrame::max_classes> density;
  double most;
  const int likeliest = densities(x, density.data(), &most);
  if (likeliest < 0) return false;
  std::fill_n(shares, components_, 0);
  if (hard_ || !std::isfinite(most)) {
    shares[likeliest] = MixtureFrame::whole;
    return true;
  }
  double sum = 0;
  for (int k = 0; k < components_; ++k) {
    double& p = density[static_cast<std::size_t>(k)];
    p = p - most < kNoShare ? 0 : std::exp(p - most);
    sum += p;
  }
  std::int64_t left = MixtureFrame::whole;
  for (int k = 0; k < components_; ++k) {
    const double share =
        density[static_cast<std::size_t>(k)] / sum * static_cast<double>(MixtureFrame::whole);
    shares[k] = std::min(static_cast<std::int64_t>(share), left);  // whatever exp and the sum did
    left -= shares[k];
  }
  return true;
}

int MixturePlacer::most_likely(const double* x) const {
  double most;
  return densities(x, nullptr, &most);
}

}  // namespace dpmix
