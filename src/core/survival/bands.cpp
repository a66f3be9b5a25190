#include "core/survival/bands.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/normal_reach.hpp"
#include "core/survival/curve.hpp"
#include "core/survival/noise_variance.hpp"

namespace dpmix {
namespace {

using Numbers = std::vector<double>;

// What rises, if noise is all that makes it fall: for variances of counts alone.
Numbers risen(const Numbers& curve) {
  Numbers made;
  double most = 0;
  for (const double value : curve) made.push_back(most = std::max(most, value));
  return made;
}

Numbers steps_of(const Numbers& curve) {
  Numbers steps;
  double before = 0;
  for (const double value : curve) {
    steps.push_back(value - before);
    before = value;
  }
  return steps;
}

// The cumulative hazard, and what variances of counts are made of.
struct Sampling {
  int bins;
  Numbers hazard, step, left;  // left: S at the begin of each bin
  Numbers people;              // at the end of each

  explicit Sampling(const SurvivalTable& table) : bins(told_bins(table)) {
    for (const double log_left : log_survival(table, Order::half, bins)) {
      hazard.push_back(-log_left);
    }
    hazard = risen(hazard);
    step = steps_of(hazard);
    const AtRisk risk = at_risk(table);
    for (std::size_t bin = 0; bin < hazard.size(); ++bin) {
      left.push_back(std::exp(-(hazard[bin] - step[bin])));
      people.push_back(risk.people[bin + 1]);
    }
  }
};

// What the first order leaves out: quotients are of noisy numbers at risk, whose inverses are
// larger on average than that of what they are of. By the share of the noise in them, the largest
// so far.
void widen(const SurvivalTable& table, Numbers* variances) {
  const AtRisk risk = at_risk(table);
  const auto share = [&](std::size_t place) { return risk.stddev[place] / risk.people[place]; };
  if (variances->empty()) return;
  double most = share(0);
  for (std::size_t i = 0; i < variances->size(); ++i) {
    most = std::max(most, share(i + 1));
    const double wider = 1 + most * most;
    (*variances)[i] *= wider * wider;
  }
}

// The variances of the noise in numbers that compute(table) makes, one for each bin.
template <class Compute>
Numbers wide_variances(const SurvivalTable& table, const Compute& compute) {
  Numbers variances = noise_variances(table, compute);
  widen(table, &variances);
  return variances;
}

double reach_of_all(const SurvivalTable& table, double level) {
  return normal_reach(1 - (1 - level) / table.bins);
}

// How far above an estimate what it is of may be, where more of it has more variance: what is
// above the estimate is a count over so many people.
double reach_above(double reach, double variance, double weight) {
  const double half = reach * reach * weight / 2;
  return half + std::sqrt(half * half + reach * reach * variance);
}

// A band of a curve that never rises narrows by what it says of other bins.
Band narrowed(Band band) {
  for (const auto ends : {&BandPoint::noise, &BandPoint::all}) {
    for (std::size_t i = 1; i < band.size(); ++i) {
      (band[i].*ends).high = std::min((band[i].*ends).high, (band[i - 1].*ends).high);
    }
    for (std::size_t i = band.size(); i-- > 1;) {
      (band[i - 1].*ends).low = std::max((band[i - 1].*ends).low, (band[i].*ends).low);
    }
  }
  return band;
}

Ends within(double low, double high, double least, double most) {
  const double bottom = std::clamp(low, least, most);
  return {bottom, std::max(bottom, std::clamp(high, least, most))};
}

Band mirrored(Band band) {
  for (BandPoint& point : band) {
    point.estimate = 1 - point.estimate;
    for (Ends* ends : {&point.noise, &point.all}) *ends = {1 - ends->high, 1 - ends->low};
  }
  return band;
}

}  // namespace

Band survival_band(const SurvivalTable& table, double level) {
  const Sampling sampling(table);
  const int bins = sampling.bins;
  const auto curve = [bins](Order order) {
    return [bins, order](const SurvivalTable& of) { return log_survival(of, order, bins); };
  };
  const Numbers middle = log_survival(table, Order::half, bins),
                bottom = log_survival(table, Order::censored_first, bins),
                top = log_survival(table, Order::events_first, bins),
                below = wide_variances(table, curve(Order::censored_first)),
                above = wide_variances(table, curve(Order::events_first));
  const double reach = reach_of_all(table, level);
  Band band;
  double sampled = 0;
  for (std::size_t i = 0; i < middle.size(); ++i) {
    sampled += sampling.step[i] / sampling.people[i];
    const auto between = [&](double down, double up) {
      return within(std::exp(bottom[i] - down), std::exp(top[i] + up), 0, 1);
    };
    band.push_back({.estimate = std::exp(middle[i]),
                    .noise = between(reach * std::sqrt(below[i]), reach * std::sqrt(above[i])),
                    .all = between(reach_above(reach, below[i] + sampled, 1 / sampling.people[i]),
                                   reach * std::sqrt(above[i] + sampled))});
  }
  return narrowed(band);
}

Band incidence_band(const SurvivalTable& table, int kind, double level) {
  const Sampling sampling(table);
  const int bins = sampling.bins;
  const auto curve = [bins, kind](Order order) {
    return
        [bins, kind, order](const SurvivalTable& of) { return incidence(of, kind, order, bins); };
  };
  const Numbers middle = incidence(table, kind, Order::half, bins),
                bottom = incidence(table, kind, Order::events_first, bins),
                top = incidence(table, kind, Order::censored_first, bins),
                below = wide_variances(table, curve(Order::events_first)),
                above = wide_variances(table, curve(Order::censored_first)), rising = risen(middle),
                steps = steps_of(rising);
  const double reach = reach_of_all(table, level);
  Band band;
  for (std::size_t i = 0; i < middle.size(); ++i) {
    double sampled = 0;
    for (std::size_t bin = 0; bin <= i; ++bin) {
      const double left = sampling.left[bin], own = std::min(steps[bin] / left, sampling.step[bin]);
      const double later = std::clamp(rising[i] - rising[bin], 0.0, left);
      sampled +=
          ((left - later) * (left - later) * own + later * later * (sampling.step[bin] - own)) /
          sampling.people[bin];
    }
    const double weight = std::exp(-sampling.hazard[i]) / sampling.people[i];
    const auto between = [&](double down, double up) {
      return within(bottom[i] - down, top[i] + up, 0, 1);
    };
    band.push_back({.estimate = middle[i],
                    .noise = between(reach * std::sqrt(below[i]), reach * std::sqrt(above[i])),
                    .all = between(reach * std::sqrt(below[i] + sampled),
                                   reach_above(reach, above[i] + sampled, weight))});
  }
  return mirrored(narrowed(mirrored(band)));
}

Band mean_time_intervals(const SurvivalTable& table, double width, double level) {
  const Sampling sampling(table);
  const int bins = sampling.bins;
  const auto curve = [bins, width](Order order) {
    return
        [bins, width, order](const SurvivalTable& of) { return mean_time(of, order, width, bins); };
  };
  const Numbers middle = mean_time(table, Order::half, width, bins),
                bottom = mean_time(table, Order::censored_first, width, bins),
                top = mean_time(table, Order::events_first, width, bins),
                below = wide_variances(table, curve(Order::censored_first)),
                above = wide_variances(table, curve(Order::events_first));
  const double reach = normal_reach(level);
  Band band;
  for (std::size_t i = 0; i < middle.size(); ++i) {
    double sampled = 0;
    for (std::size_t bin = 0; bin <= i; ++bin) {
      const double later = std::max(middle[i] - middle[bin] + width * sampling.left[bin] / 2, 0.0);
      sampled += later * later * sampling.step[bin] / sampling.people[bin];
    }
    const double most = width * static_cast<double>(i + 1);
    const auto between = [&](double down, double up) {
      return within(bottom[i] - down, top[i] + up, 0, most);
    };
    band.push_back(
        {.estimate = middle[i],
         .noise = between(reach * std::sqrt(below[i]), reach * std::sqrt(above[i])),
         .all = between(reach_above(reach, below[i] + sampled, most / sampling.people[i]),
                        reach * std::sqrt(above[i] + sampled))});
  }
  return band;
}

}  // namespace dpmix
