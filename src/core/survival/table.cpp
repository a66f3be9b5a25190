#include "core/survival/table.hpp"

#include <cmath>

namespace dpmix {
namespace {

constexpr double kDeviations = 3;

}  // namespace

double SurvivalTable::events(int bin) const {
  double sum = 0;
  for (int kind = 1; kind <= kinds; ++kind) sum += at(bin, kind);
  return sum;
}

AtRisk at_risk(const SurvivalTable& table) {
  const auto places = static_cast<std::size_t>(table.bins) + 1;
  AtRisk risk = {std::vector<double>(places), std::vector<double>(places)};
  double people = 0, cells = 0;
  for (int bin = table.bins; bin >= 0; --bin) {
    people += table.censored(bin) + table.events(bin);
    cells += table.kinds + 1;
    risk.people[static_cast<std::size_t>(bin)] = people;
    risk.stddev[static_cast<std::size_t>(bin)] = table.stddev * std::sqrt(cells);
  }
  return risk;
}

// Also where a count that is noise makes a factor of the curve 0 or less.
int told_bins(const SurvivalTable& table) {
  const AtRisk risk = at_risk(table);
  const auto enough = [&](std::size_t place) {
    return risk.people[place] > 0 && risk.people[place] >= kDeviations * risk.stddev[place];
  };
  int told = 0;
  while (told < table.bins) {
    const auto bin = static_cast<std::size_t>(told);
    const double censored = table.censored(told), events = table.events(told);
    const double stay = risk.people[bin + 1];
    if (!enough(bin) || !enough(bin + 1)) break;
    if (stay + censored <= 0 || stay + events <= 0 || stay + censored / 2 <= 0) break;
    if (risk.people[bin] - censored / 2 <= 0) break;
    bool positive = true;
    for (int kind = 1; kind <= table.kinds; ++kind) {
      const double own = stay + table.at(told, kind);
      positive = positive && own > 0 && own + censored > 0;
    }
    if (!positive) break;
    ++told;
  }
  return told;
}

}  // namespace dpmix
