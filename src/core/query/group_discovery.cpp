#include "core/query/group_discovery.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/next_double.hpp"
#include "core/base/normal_tail.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/base/whole_root.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/partition_selection.hpp"

namespace dpmix {
namespace {

// One of equal parts, not above the exact quotient.
double part(double whole, double parts) {
  return parts == 1 ? whole : next_down(whole / parts);
}

void require_delta(double delta) {
  if (delta != 0) return;
  refuse_parameter("finding groups needs a delta",
                   "keys is \"discover\" and delta is 0: a group whose name nobody declared can "
                   "only come back with a small probability of telling that it is there.",
                   "Pass a delta such as 1e-6, or declare the keys' categories or bounds.");
}

void require_shares(const GroupSearch& search) {
  const bool coin = search.kind == SearchKind::coin;
  if (!(coin && search.each_epsilon < kLeastSelectionEpsilon) && search.each_delta >= kLeastDelta) {
    return;
  }
  refuse_parameter("epsilon or delta is too small to find groups",
                   "A share of it is divided among the " + std::to_string(search.groups) +
                       " groups that one privacy unit may change; each part of epsilon must be "
                       "at least 1e-9, of delta at least 1e-300.",
                   "Ask for a larger epsilon or delta, or for a smaller max_groups.");
}

// Whether P(N > z) <= tail <= 1/2, z >= 0: where it says so it is proved, as the error of the
// tail's logarithm is that of normal_tail.hpp.
bool is_above_quantile(double z, double tail) {
  return log_upper_tail(z) + (4 * z * z + 24) * 0x1p-53 <= std::log(tail) * (1 + 0x1p-50);
}

double normal_quantile_above(double tail) {
  double low = 0, high = 40;  // P(N > 40) is below 1e-300
  for (int i = 0; i < 64; ++i) {
    const double z = (low + high) / 2;
    (is_above_quantile(z, tail) ? high : low) = z;
  }
  return high;
}

constexpr double kRoundUp = 1 + 0x1p-48, kRoundDown = 1 - 0x1p-48;  // more than three roundings

// What a unit in so many groups counts in each, in 2^-bits: its weight in a list of search_bound().
double weight_among(int groups, int bits) {
  return static_cast<double>(
      whole_root((UInt128{1} << (2 * bits)) / static_cast<unsigned>(groups)));
}

// How often one of so many groups may be shown if none is but with a probability of delta.
double tail_of_one(double delta, int groups) {
  return -std::expm1(std::log1p(-delta) / groups) * kRoundDown;
}

}  // namespace

std::string_view name(SearchKind kind) {
  switch (kind) {
    case SearchKind::none:
      return "none";
    case SearchKind::coin:
      return "partition_selection";
    case SearchKind::threshold:
      return "threshold";
    case SearchKind::cut_off:
      return "cut_off";
  }
  return "";
}

int changed_groups(Adjacency adjacency, int groups) {
  return adjacency == Adjacency::replace ? 2 * groups : groups;  // left, and entered
}

DiscoveryShares share_with_coins(double epsilon, double delta, int statistics, int changed,
                                 bool pure) {
  require_delta(delta);
  DiscoveryShares shares{};
  GroupSearch& search = shares.search;
  search.kind = SearchKind::coin;
  search.groups = changed;
  search.epsilon = part(epsilon, statistics + 1.0);
  search.delta = pure ? delta : part(delta, 2);
  shares.epsilon = next_down(epsilon - search.epsilon);
  shares.delta = pure ? 0 : next_down(delta - search.delta);
  search.each_epsilon = part(search.epsilon, changed);
  search.each_delta = part(search.delta, changed);
  require_shares(search);
  return shares;
}

DiscoveryShares share_with_threshold(double epsilon, double delta, int groups) {
  require_delta(delta);
  DiscoveryShares shares{};
  GroupSearch& search = shares.search;
  search.kind = SearchKind::threshold;
  search.groups = groups;
  search.delta = part(delta, 2);
  search.each_delta = part(search.delta, groups);
  shares.epsilon = epsilon;
  shares.delta = search.rest_delta = next_down(delta - search.delta);
  require_shares(search);
  return shares;
}

// round(1 + Z) >= t where Z >= t - 3/2: numbers are whole, so half a unit less than t - 1 will do.
double threshold_of(double deviation, double each_delta) {
  return std::ceil((1.5 + deviation * normal_quantile_above(each_delta)) * kRoundUp);
}

// In 2^-bits: a unit in t groups of its own is shown in one where deviation * N >= threshold -
// weight - 1/2. Up to 64 each t is looked at; above, all of a range with the weight of its first
// and the tail of its last.
double weighed_threshold(double deviation, double delta, int keys, int weight_bits) {
  const double scale = std::ldexp(deviation, weight_bits);
  const auto least = [&](int first, int last) {
    const double z = normal_quantile_above(tail_of_one(delta, last));
    return std::ceil((weight_among(first, weight_bits) + .5 + scale * z) * kRoundUp);
  };
  double threshold = std::max(least(1, 1), least(keys, keys));
  for (int first = 2; first < keys;) {
    const int last = std::min(first + std::max(first / 64, 1) - 1, keys - 1);
    const double left = threshold - .5 - weight_among(first, weight_bits);
    const double z = std::max(left, 0.) / scale * kRoundDown;
    if (!is_above_quantile(z, tail_of_one(delta, last))) {
      threshold = std::max(threshold, least(first, last));
    }
    first = last + 1;
  }
  return std::ldexp(threshold, -weight_bits);
}

Cost cost_of_search(const Accounting& table, const GroupSearch& search) {
  if (!table.counts_cost()) return {};
  if (search.kind != SearchKind::coin) return {0, search.delta};
  const Cost one = cost_of_guarantee(table, search.each_epsilon, search.each_delta);
  // The shares of delta add up to no more than delta.
  return {search.groups == 1 ? one.amount : next_up(one.amount * search.groups), search.delta};
}

KeptFrom kept_from(const GroupSearch& search) {
  if (search.kind == SearchKind::coin) {
    const PartitionSelection selection(search.each_epsilon, search.each_delta);
    const auto likely = static_cast<double>(selection.likely_from());
    return {likely, static_cast<double>(selection.sure_from()), likely};
  }
  // A group of as many units as are shown: half of its noisy numbers or more are that large.
  const double half = std::ceil(search.shown_from);
  if (search.kind == SearchKind::cut_off) return {half, 2 * half - 1, half};
  if (search.weight_bits == 0) return {half, std::nullopt, half};
  const double least =
      std::ldexp(weight_among(search.keys, search.weight_bits), -search.weight_bits);
  return {half, std::nullopt, std::ceil(search.shown_from / least)};
}

}  // namespace dpmix
