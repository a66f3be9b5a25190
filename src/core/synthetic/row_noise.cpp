#include "core/synthetic/row_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/base/poll.hpp"

// The noise of all classes of a release: few searches, whatever the number of classes. What is
// searched for is a heavier load than that of each class it serves, so every multiplier keeps the
// target; which ones they are decides only how tight it is.
namespace dpmix {
namespace {

// A search takes some six checks of some ms each: up to so many loads are searched for one by one.
constexpr std::size_t kFewLoads = 8;
// Grid of few loads, the same for all calls, so that searches of earlier ones serve: rates .14%
// apart, rows of ten binary digits.
constexpr double kRatesPerOctave = 512;
constexpr std::int64_t kRowDigits = 1024;
// Many loads are merged where that costs the lightest of them about so much noise.
constexpr std::array<double, 2> kMergedNoise = {1.01, 1.02};
constexpr std::size_t kManyLoads = 300;
// Loads searched for among many are at most so far apart, in logarithms.
constexpr double kAnchorDistance = .5;

// The least z that keeps the target on a coarse grid, up to .2%, from a guess that may be so far
// off; the z returned was checked.
double search(const RowTarget& target, const ClassLoad& load, double guess, double factor) {
  const auto kept = [&](double z) { return rows_keep(target, load, z); };
  const double plain = plain_multiplier(target, load.rows);
  double z = std::min(guess, plain), broken = 0;
  if (kept(z)) {
    for (broken = z / factor; kept(broken); broken = z / factor) {
      z = broken;
      factor *= factor;
    }
  } else {
    do {
      broken = z;
      z = std::min(z * factor, plain);
      factor *= factor;
    } while (!kept(z));
  }
  while (broken < z * .998) {
    const double middle = std::sqrt(broken * z);
    (kept(middle) ? z : broken) = middle;
  }
  return z;
}

double search(const RowTarget& target, const ClassLoad& load) {
  return search(target, load, 1.03 * likely_multiplier(target, load), 1.03);
}

// Where two promises are all that is asked for, as everybody knows the least noise for one: on a
// grid twice as fine, which saves less than this share, up to .05%. Elsewhere it would save .15%
// and take 2.5 times the time (measured).
constexpr double kCoarse = .008;
constexpr int kHalvings = 1;

double fine_search(const RowTarget& target, const ClassLoad& load) {
  double z = search(target, load);
  if (!target.only || z >= plain_multiplier(target, load.rows)) return z;
  for (double broken = z * (1 - kCoarse); broken < z * .9995;) {
    const double middle = (broken + z) / 2;
    (rows_keep(target, load, middle, kHalvings) ? z : broken) = middle;
  }
  return z;
}

// Searches of this process: the result depends on nothing else.
struct Found {
  std::uint64_t last_used;  // 0: empty
  RowTarget target;
  ClassLoad load;
  double multiplier;
};
static_assert(std::is_trivially_destructible_v<Found>);
std::array<Found, 512> found_before;  // small enough for a linear scan, next to a search
std::uint64_t uses = 0;

double remembered_search(const RowTarget& target, const ClassLoad& load) {
  for (Found& found : found_before) {
    if (found.last_used != 0 && found.load == load && found.target == target) {
      found.last_used = ++uses;
      return found.multiplier;
    }
  }
  const double z = fine_search(target, load);
  Found& oldest = *std::ranges::min_element(found_before, {}, &Found::last_used);
  oldest = {++uses, target, load, z};
  return z;
}

// Up to the grid; up to 1, which needs no search.
ClassLoad on_grid(const ClassLoad& load) {
  double octaves = std::ceil(std::log2(load.rate) * kRatesPerOctave);
  while (std::exp2(octaves / kRatesPerOctave) < load.rate) ++octaves;
  std::int64_t unit = 1;
  while (load.rows / unit >= kRowDigits) unit *= 2;
  return {std::min(1., std::exp2(octaves / kRatesPerOctave)), (load.rows + unit - 1) / unit * unit};
}

using Loads = std::vector<ClassLoad>;

bool heavier(const ClassLoad& a, const ClassLoad& b) {
  return std::pair(a.rate, a.rows) > std::pair(b.rate, b.rows);
}

// Sorted, each once.
Loads distinct(Loads loads) {
  std::ranges::sort(loads, heavier);
  const auto rest = std::ranges::unique(loads);
  loads.erase(rest.begin(), rest.end());
  return loads;
}

// Neighbours in the order of `loads` made one, at least as heavy as each: no noise it needs is
// more than `factor` times what is likely enough for any of them.
struct Merged {
  Loads loads;
  std::vector<std::size_t> of;  // by the number of a load before, that of the one it is merged into
};
Merged merged(const RowTarget& target, const Loads& loads, double factor) {
  Merged result;
  double least = 0;
  for (const ClassLoad& load : loads) {
    poll();
    const double likely = likely_multiplier(target, load);
    if (!result.loads.empty()) {
      ClassLoad& open = result.loads.back();
      const ClassLoad both = {open.rate, std::max(open.rows, load.rows)};
      if (likely_multiplier(target, both) <= factor * std::min(least, likely)) {
        open = both;
        least = std::min(least, likely);
        result.of.push_back(result.loads.size() - 1);
        continue;
      }
    }
    result.loads.push_back(load);
    result.of.push_back(result.loads.size() - 1);
    least = likely;
  }
  return result;
}

double distance(const ClassLoad& a, const ClassLoad& b) {
  return std::fabs(std::log(a.rate / b.rate)) +
         std::fabs(std::log(static_cast<double>(a.rows) / static_cast<double>(b.rows)));
}

// Anchors are searched for; what lies between two is told from them, and checked.
std::vector<double> with_anchors(const RowTarget& target, const Loads& loads) {
  std::vector<double> z(loads.size());
  const auto excess = [&](std::size_t i) { return z[i] / likely_multiplier(target, loads[i]); };
  z[0] = search(target, loads[0]);
  for (std::size_t from = 0, to = 0; from + 1 < loads.size(); from = to) {
    to = from + 1;
    while (to + 1 < loads.size() && distance(loads[from], loads[to + 1]) <= kAnchorDistance) ++to;
    z[to] = search(target, loads[to], excess(from) * likely_multiplier(target, loads[to]), 1.01);
    const double first = excess(from), last = excess(to);
    for (std::size_t i = from + 1; i < to; ++i) {
      const double part = static_cast<double>(i - from) / static_cast<double>(to - from);
      const double guess = (first + part * (last - first)) * likely_multiplier(target, loads[i]);
      z[i] = std::min(guess * 1.002, plain_multiplier(target, loads[i].rows));
      if (!rows_keep(target, loads[i], z[i])) z[i] = search(target, loads[i], guess * 1.008, 1.01);
    }
  }
  return z;
}

// The multipliers for loads that are sorted and distinct, of a rate below 1.
std::vector<double> searched(const RowTarget& target, const Loads& loads) {
  std::vector<double> z;
  Loads nodes;
  for (const ClassLoad& load : loads) nodes.push_back(on_grid(load));
  if (const Loads few = distinct(nodes); few.size() <= kFewLoads) {
    for (const ClassLoad& node : nodes) {
      z.push_back(node.rate == 1 ? plain_multiplier(target, node.rows)
                                 : remembered_search(target, node));
    }
    return z;
  }
  Merged many = merged(target, loads, kMergedNoise[0]);
  if (many.loads.size() > kManyLoads) many = merged(target, loads, kMergedNoise[1]);
  const std::vector<double> noise = with_anchors(target, many.loads);
  for (const std::size_t i : many.of) z.push_back(noise[i]);
  return z;
}

}  // namespace

std::vector<double> row_noise(const RowTarget& target, std::span<const ClassLoad> classes) {
  Loads loads;
  for (const ClassLoad& load : classes) {
    if (load.rate < 1 && load.rows > 0) loads.push_back(load);
  }
  loads = distinct(std::move(loads));
  const std::vector<double> z = searched(target, loads);
  std::vector<double> multipliers(classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const ClassLoad& load = classes[k];
    if (load.rows == 0) continue;
    if (load.rate < 1) {
      const auto place = std::ranges::lower_bound(loads, load, heavier);
      multipliers[k] = std::min(z[static_cast<std::size_t>(place - loads.begin())],
                                plain_multiplier(target, load.rows));
    } else {
      multipliers[k] = plain_multiplier(target, load.rows);
    }
  }
  return multipliers;
}

}  // namespace dpmix
