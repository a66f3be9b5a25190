#include "core/accounting/cost.hpp"

#include "core/base/next_double.hpp"

namespace dpmix {

Cost operator+(const Cost& a, const Cost& b) {
  const auto sum = [](double x, double y) { return x == 0 || y == 0 ? x + y : next_up(x + y); };
  return {sum(a.amount, b.amount), sum(a.added_delta, b.added_delta)};
}

}  // namespace dpmix
