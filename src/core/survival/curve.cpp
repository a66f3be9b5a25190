#include "core/survival/curve.hpp"

#include <cmath>

namespace dpmix {
namespace {

// The one order of events and censorings that is known.
Order order_in(const SurvivalTable& table, Order order) {
  return table.one_time ? Order::events_first : order;
}

// Who is taken to be at risk of all events of a bin.
double exposed(double people, double censored, Order order) {
  switch (order) {
    case Order::events_first:
      return people;
    case Order::half:
      return people - censored / 2;
    case Order::censored_first:
      return people - censored;
  }
  return people;
}

// Each person who is left carries a share of the curve, which grows as others are censored. At the
// begin of a bin it is the least if censorings came first in those before, the most if events did.
// In the bin it is the most if all other events come first, then censorings.
double carried(const SurvivalTable& table, int bin, int kind, double people, Order order) {
  const double censored = table.censored(bin);
  if (order != Order::censored_first) return 1 / exposed(people, censored, order);
  const double others = table.events(bin) - table.at(bin, kind);
  return (people - others) / (people - others - censored) / people;
}

}  // namespace

std::vector<double> log_survival(const SurvivalTable& table, Order order, int bins) {
  const AtRisk risk = at_risk(table);
  std::vector<double> curve;
  double sum = 0;
  for (int bin = 0; bin < bins; ++bin) {
    const double people = exposed(risk.people[static_cast<std::size_t>(bin)], table.censored(bin),
                                  order_in(table, order));
    sum += std::log1p(-table.events(bin) / people);
    curve.push_back(sum);
  }
  return curve;
}

std::vector<double> incidence(const SurvivalTable& table, int kind, Order order, int bins) {
  const AtRisk risk = at_risk(table);
  const bool one_time = table.one_time;
  const Order before = one_time                       ? Order::events_first
                       : order == Order::half         ? Order::half
                       : order == Order::events_first ? Order::censored_first
                                                      : Order::events_first;
  std::vector<double> curve;
  double log_left = 0, sum = 0;
  for (int bin = 0; bin < bins; ++bin) {
    const double people = risk.people[static_cast<std::size_t>(bin)],
                 censored = table.censored(bin);
    sum += std::exp(log_left) * table.at(bin, kind) *
           carried(table, bin, kind, people, order_in(table, order));
    curve.push_back(sum);
    log_left += std::log1p(-table.events(bin) / exposed(people, censored, before));
  }
  return curve;
}

std::vector<double> mean_time(const SurvivalTable& table, Order order, double width, int bins) {
  const std::vector<double> curve = log_survival(table, order, bins);
  std::vector<double> area;
  double before = 1, sum = 0;
  for (const double log_left : curve) {
    const double left = std::exp(log_left);
    const double height = table.one_time || order == Order::censored_first ? left
                          : order == Order::events_first                   ? before
                                                                           : (before + left) / 2;
    area.push_back(sum += width * height);
    before = left;
  }
  return area;
}

}  // namespace dpmix
