#include "core/input/mixture_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"

namespace dpmix {

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
  const bool valid =
      packed.size() == 1 + 2 * k && (packed[0] == 0 || packed[0] == 1) &&
      std::all_of(packed.begin(), packed.end(), [](double v) { return std::abs(v) <= 1e140; }) &&
      std::all_of(packed.begin() + 1 + static_cast<std::ptrdiff_t>(k), packed.end(),
                  [](double v) { return v >= 0; });
  if (!valid) {
    throw Error(ErrorCode::invalid_parameter, "invalid frame of a mixture",
                "After the frame come a flag, then finite log weights and tightnesses >= 0, one "
                "for each component.",
                "Use the layout in the comment on dpmix.soft_moments.");
  }
  out.hard = packed[0] == 1;
  const auto weights = packed.subspan(1, k), tight = packed.subspan(1 + k, k);
  out.log_weight.assign(weights.begin(), weights.end());
  out.tightness.assign(tight.begin(), tight.end());
  return out;
}

std::size_t MixturePlacer::memory_size(const MixtureFrame& frame) {
  return FramePlacer::memory_size(frame.frame) + 2 * frame.frame.classes.size();
}

MixturePlacer::MixturePlacer(const MixtureFrame& frame, double* memory)
    : placer_(frame.frame, memory),
      components_(static_cast<int>(frame.frame.classes.size())),
      hard_(frame.hard) {
  const std::size_t k = frame.frame.classes.size();
  double* weight = memory + FramePlacer::memory_size(frame.frame);
  std::copy(frame.log_weight.begin(), frame.log_weight.end(), weight);
  for (std::size_t i = 0; i < k; ++i) {
    const double step = frame.frame.step(i);
    weight[k + i] = frame.tightness[i] * step * step / 2;
  }
  log_weight_ = weight;
  tightness_ = weight + k;
}

bool MixturePlacer::place(const double* x, std::int64_t* shares, std::int32_t* q) const {
  std::array<double, MomentFrame::max_classes> log_density;
  alignas(64) double projected[FramePlacer::max_row];
  const double* seen = placer_.project(x, projected);
  double most = -HUGE_VAL;
  int likeliest = 0;
  for (int k = 0; k < components_; ++k) {
    double norm2 = 0;
    if (!placer_.place_projected(k, seen, q + static_cast<std::size_t>(k) * FramePlacer::max_row,
                                 &norm2)) {
      return false;
    }
    auto& p = log_density[static_cast<std::size_t>(k)];
    p = log_weight_[k] - tightness_[k] * norm2;
    if (p > most) most = p, likeliest = k;
  }
  std::fill_n(shares, components_, 0);
  if (hard_ || !std::isfinite(most)) {
    shares[likeliest] = MixtureFrame::whole;
    return true;
  }
  double sum = 0;
  for (int k = 0; k < components_; ++k) {
    sum += log_density[static_cast<std::size_t>(k)] =
        std::exp(log_density[static_cast<std::size_t>(k)] - most);
  }
  std::int64_t left = MixtureFrame::whole;
  for (int k = 0; k < components_; ++k) {
    const double share =
        log_density[static_cast<std::size_t>(k)] / sum * static_cast<double>(MixtureFrame::whole);
    shares[k] = std::min(static_cast<std::int64_t>(share), left);  // whatever exp and the sum did
    left -= shares[k];
  }
  return true;
}

int MixturePlacer::most_likely(const double* x) const {
  std::array<std::int32_t, FramePlacer::max_row> q;
  alignas(64) double projected[FramePlacer::max_row];
  const double* seen = placer_.project(x, projected);
  double most = -HUGE_VAL;
  int likeliest = 0;
  for (int k = 0; k < components_; ++k) {
    double norm2 = 0;
    if (!placer_.place_projected(k, seen, q.data(), &norm2)) return -1;
    const double p = log_weight_[k] - tightness_[k] * norm2;
    if (p > most) most = p, likeliest = k;
  }
  return likeliest;
}

}  // namespace dpmix
