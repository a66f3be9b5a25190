#include "core/input/mixture_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"

namespace dpmix {
namespace {

// Below e^-14 of the largest, a share is 0 in units of 1/whole: no need for the exponential.
constexpr double kNoShare = -14;

}  // namespace

std::vector<double> MixtureFrame::extra() const {
  std::vector<double> extra = {hard ? 1. : 0.};
  extra.insert(extra.end(), log_weight.begin(), log_weight.end());
  extra.insert(extra.end(), tightness.begin(), tightness.end());
  return extra;
}

MixtureFrame MixtureFrame::unpack(std::span<const double> packed) {
  MixtureFrame out;
  out.frame = MomentFrame::unpack_front(packed);
  const std::size_t k = out.frame.classes.size();
  const auto d = static_cast<std::size_t>(out.frame.features);
  const bool valid =
      (packed.size() == 1 + 2 * k || packed.size() == 1 + k + k * d) &&
      (packed[0] == 0 || packed[0] == 1) &&
      std::all_of(packed.begin(), packed.end(), [](double v) { return std::abs(v) <= 1e140; }) &&
      std::all_of(packed.begin() + 1 + static_cast<std::ptrdiff_t>(k), packed.end(),
                  [](double v) { return v >= 0; });
  if (!valid) {
    throw Error(ErrorCode::invalid_parameter, "invalid frame of a mixture",
                "After the frame come a flag, then finite log weights, one for each component, and "
                "finite tightnesses >= 0, one for each component or for each of its features.",
                "Use the layout in the comment on dpmix.soft_moments.");
  }
  out.hard = packed[0] == 1;
  const auto weights = packed.subspan(1, k), tight = packed.subspan(1 + k);
  out.log_weight.assign(weights.begin(), weights.end());
  out.tightness.assign(tight.begin(), tight.end());
  return out;
}

std::size_t MixturePlacer::memory_size(const MixtureFrame& frame) {
  return FramePlacer::memory_size(frame.frame) +
         frame.frame.classes.size() * (1 + padded(static_cast<std::size_t>(frame.frame.features)));
}

MixturePlacer::MixturePlacer(const MixtureFrame& frame, double* memory)
    : placer_(frame.frame, memory),
      stride_(padded(static_cast<std::size_t>(frame.frame.features))),
      components_(static_cast<int>(frame.frame.classes.size())),
      hard_(frame.hard) {
  const std::size_t k = frame.frame.classes.size();
  const auto d = static_cast<std::size_t>(frame.frame.features);
  double* tight = memory + FramePlacer::memory_size(frame.frame);  // as aligned as the maps
  double* weight = tight + k * stride_;
  std::copy(frame.log_weight.begin(), frame.log_weight.end(), weight);
  std::fill_n(tight, k * stride_, 0.);
  for (std::size_t i = 0; i < k; ++i) {
    const double step = frame.frame.step(i);
    for (std::size_t j = 0; j < d; ++j) {
      const double t = frame.tightness[frame.tightness.size() == k ? i : i * d + j];
      tight[i * stride_ + j] = t * step * step / 2;
    }
  }
  log_weight_ = weight;
  tightness_ = tight;
}

int MixturePlacer::densities(const double* x, double* log_density, double* most) const {
  *most = -HUGE_VAL;
  int likeliest = 0;
  for (int k = 0; k < components_; ++k) {
    const double far = placer_.weighted_norm2(
        k, x, tightness_ + static_cast<std::size_t>(k) * stride_);
    if (far != far) return -1;
    const double p = log_weight_[k] - far;
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
