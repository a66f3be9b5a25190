#include "core/regression/ranges.hpp"

#include <algorithm>
#include <cmath>

namespace dpmix {
namespace {

double range_of(const Design& design, const DesignTerm& term) {
  if (term.kind == TermKind::number) return term.upper - term.lower;
  const DesignTerm& base = design.terms[static_cast<std::size_t>(term.base)];
  const double one = std::pow(base.lower, term.power), other = std::pow(base.upper, term.power);
  const bool turns = term.power % 2 == 0 && base.lower < 0 && base.upper > 0;  // at 0
  return std::max(one, other) - (turns ? 0 : std::min(one, other));
}

}  // namespace

std::vector<double> coefficient_ranges(const Design& design) {
  std::vector<double> ranges{1};
  for (const DesignTerm& term : design.terms) {
    if (term.kind == TermKind::category) {
      ranges.insert(ranges.end(), static_cast<std::size_t>(term.categories) - 1, 1);
    } else {
      ranges.push_back(range_of(design, term));
    }
  }
  return ranges;
}

}  // namespace dpmix
