// What one release adds to the sum that a table's accountant keeps besides epsilon and delta.
#pragma once

namespace dpmix {

struct Cost {
  double amount = 0;       // `renyi`: rho at the table's order; `gdp`: mu^2
  double added_delta = 0;  // but for an event of this probability
  // Of several releases with others between them: what a guarantee alone would cost is not theirs.
  bool lasting = false;
  bool operator==(const Cost&) const = default;
};
Cost operator+(const Cost& a, const Cost& b);  // composition, rounded up

}  // namespace dpmix
