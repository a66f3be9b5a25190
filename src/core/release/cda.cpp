#include "core/release/cda.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/accounting/decimal.hpp"
#include "core/error.hpp"
#include "core/mechanism/calibration.hpp"
#include "core/mechanism/gaussian_dp.hpp"
#include "core/next_double.hpp"
#include "core/poll.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t most_rows = 1'000'000'000;
constexpr int most_mixed = 10'000;

// What raw rows are best mixed from: more records hide the spread of the class, fewer need more
// noise.
constexpr int raw_mix = 4;

[[noreturn]] void refuse(std::string message, std::string detail, std::string hint) {
  throw Error(ErrorCode::invalid_parameter, std::move(message), std::move(detail), std::move(hint));
}

void check(const CdaRequest& r) {
  if (r.adjacency == Adjacency::label) {
    refuse("synthetic rows are not available under adjacency label",
           "The table's guarantee covers its label column alone.",
           "Protect the table with adjacency add_remove or replace.");
  }
  if (r.rows < 1 || r.rows > most_rows) {
    refuse("number of synthetic rows out of range",
           "rows is " + std::to_string(r.rows) + "; it must lie between 1 and " +
               std::to_string(most_rows) + ".",
           "Ask for a number of rows like that of the table.");
  }
  if (r.rows < r.classes) {
    refuse("fewer synthetic rows than classes",
           "rows is " + std::to_string(r.rows) + "; the label has " + std::to_string(r.classes) +
               " declared categories.",
           "Ask for at least one row per category.");
  }
  if (r.mix < 0 || r.mix > most_mixed) {
    refuse("order of mixing out of range",
           "mix is " + std::to_string(r.mix) + "; it must lie between 1 and " +
               std::to_string(most_mixed) + ".",
           "Leave mix out to have it chosen.");
  }
  check_epsilon_delta(r.epsilon, r.delta);
  if (!(r.delta > 0)) {
    refuse("synthetic rows need a delta above 0", "delta is 0.",
           "Pass a delta well below one over the number of rows, such as 1e-6.");
  }
}

int changed_classes(Adjacency adjacency) {
  return adjacency == Adjacency::replace ? 2 : 1;
}

// Demixing undoes the averaging, so that the noise is what counts: the order that makes the
// effective ridge mix * noise^2 least, .505 mu N_k / sqrt(T_k).
int demixing_order(double mu, double count, std::int64_t rows) {
  const double best = .505 * mu * count / std::sqrt(static_cast<double>(rows));
  return static_cast<int>(std::clamp(std::nearbyint(best), 1., double{most_mixed}));
}

std::int64_t rows_of_class(const CdaRequest& r,
                           int k) {  // the first classes take what is left over
  return r.rows / r.classes + (k < r.rows % r.classes ? 1 : 0);
}

// Each record stays out with probability e^-r: a law that can be sampled exactly.
void set_rate(MixedClass& c, double count) {
  if (count <= c.mix) {
    c.exponent = std::numeric_limits<double>::infinity();
    c.rate = 1;
  } else {
    c.exponent = -std::log1p(-c.mix / count);
    c.rate = std::min(1., next_up(next_up(-std::expm1(-c.exponent))));
  }
}

}  // namespace

std::optional<Demix> demix_of(std::string_view name) {
  if (name == "none") return Demix::none;
  if (name == "per_class") return Demix::per_class;
  if (name == "tied") return Demix::tied;
  return std::nullopt;
}

CdaPlan plan_cda(const CdaRequest& request) {
  check(request);
  CdaPlan plan{};
  plan.asked = request;
  const double epsilon = Decimal::printed(request.epsilon).lower_double();
  const double delta = Decimal::printed(request.delta).lower_double();
  // A 32nd (an exact division) buys counts good to about 32/epsilon records.
  plan.count_epsilon = epsilon / 32;
  const double rows_epsilon = next_down(epsilon - plan.count_epsilon);
  // Within the slack, rows may reveal more than Gaussian noise does: without any, its far tail
  // would have to be met. A 16th (exact) leaves most of a table's share of added delta.
  const double slack = delta / 16;
  plan.mu = gdp_mu(rows_epsilon, (delta - slack) / (1 - slack) * (1 - 0x1p-50));
  plan.rows = {request.adjacency, plan.mu, slack};
  if (request.accounting.counts_cost()) {
    const int changed = changed_classes(request.adjacency);
    const Cost count = cost_of_geometric(request.accounting, plan.count_epsilon / changed);
    const Cost rows = cost_of_gaussian(request.accounting, plan.mu) + Cost{0, slack};
    plan.own = changed == 2 ? rows + count + count : rows + count;
  }
  return plan;
}

Lattice feature_lattice(double lower, double upper) {
  return {lower / 2 + upper / 2, (upper / 2 - lower / 2) / half_steps, -half_steps, half_steps};
}

double record_norm(int features) {
  return next_up(next_up(std::sqrt(static_cast<double>(features))) * half_steps);
}

std::int64_t noisy_class_count(RandomStream& random, const CdaPlan& plan, std::int64_t count) {
  const double rate = plan.count_epsilon / changed_classes(plan.asked.adjacency);
  const Int128 noisy = count + two_sided_geometric(random, {rate});
  constexpr Int128 most = std::int64_t{1} << 53;
  return static_cast<std::int64_t>(std::clamp(noisy, Int128{0}, most));
}

double MixedClass::noise(int features) const {
  return multiplier * std::sqrt(static_cast<double>(features)) / mix;
}

std::vector<MixedClass> plan_classes(const CdaPlan& plan, std::span<const std::int64_t> counts) {
  const CdaRequest& asked = plan.asked;
  double all = 0;
  for (const std::int64_t count : counts) all += static_cast<double>(count);
  std::vector<MixedClass> classes(counts.size());
  std::vector<ClassLoad> loads(counts.size());
  std::int64_t first = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    MixedClass& c = classes[k];
    c.first = first;
    c.rows = rows_of_class(asked, static_cast<int>(k));
    first += c.rows;
    const auto count = static_cast<double>(counts[k]);
    if (asked.mix != 0) {
      c.mix = asked.mix;
    } else if (asked.demix == Demix::none) {
      c.mix = raw_mix;
    } else if (asked.demix == Demix::per_class) {
      c.mix = demixing_order(plan.mu, count, c.rows);
    } else {  // one scatter for all classes needs one order
      c.mix = demixing_order(plan.mu, all / asked.classes, asked.rows / asked.classes);
    }
    set_rate(c, count);
    loads[k] = {c.rate, c.rows};
  }
  const std::vector<double> multipliers = row_noise(plan.rows, loads);
  for (std::size_t k = 0; k < classes.size(); ++k) classes[k].multiplier = multipliers[k];
  return classes;
}

RowMixer::RowMixer(std::span<const MixedClass> classes, int features, std::int64_t first,
                   std::int64_t rows)
    : classes_(classes),
      features_(static_cast<std::size_t>(features)),
      first_(first),
      rows_(rows),
      sums_(features_ * static_cast<std::size_t>(rows)) {
  for (const MixedClass& c : classes) {
    std::optional<Geometric>& gap = gaps_.emplace_back();
    if (!std::isinf(c.exponent)) gap.emplace(ExactRate{c.exponent});
  }
}

void RowMixer::add(RandomStream& random, int k, const std::int64_t* record) {
  const MixedClass& c = classes_[static_cast<std::size_t>(k)];
  const std::optional<Geometric>& gap = gaps_[static_cast<std::size_t>(k)];
  const std::int64_t end = std::min(c.first + c.rows, first_ + rows_);
  std::int64_t row = std::max(c.first, first_);
  for (; row < end; ++row) {
    if (gap) {  // independent coins, told by how many fail before one succeeds
      const UInt128 skipped = (*gap)(random);
      if (skipped >= static_cast<UInt128>(end - row)) return;
      row += static_cast<std::int64_t>(skipped);
    }
    std::int64_t* sum = &sums_[features_ * static_cast<std::size_t>(row - first_)];
    for (std::size_t j = 0; j < features_; ++j) sum[j] += record[j];
    if (row % 1024 == 0) poll();
  }
}

void RowMixer::finish(RandomStream& random, int k, std::int64_t row, double* half_widths) const {
  const MixedClass& c = classes_[static_cast<std::size_t>(k)];
  const RoundedNormal noise(next_up(c.multiplier * record_norm(static_cast<int>(features_))));
  const std::int64_t* sum = &sums_[features_ * static_cast<std::size_t>(row - first_)];
  const double divisor = static_cast<double>(half_steps) * c.mix;
  for (std::size_t j = 0; j < features_; ++j) {
    half_widths[j] = to_double(sum[j] + noise(random)) / divisor;
  }
}

}  // namespace dpmix
