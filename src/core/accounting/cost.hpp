// What one release adds to the sum that a table's accountant keeps besides epsilon and delta.
#pragma once

namespace dpmix {

struct Cost {
  double amount = 0;       // `renyi`: rho at the table's order; `gdp`: mu^2
  double added_delta = 0;  // except for an event of this probability
  // True: the cost of several releases with others between them. It is charged as it is, even if
  // the guarantee alone would cost less.
  bool lasting = false;
  bool operator==(const Cost&) const = default;
};
Cost operator+(const Cost& a, const Cost& b);  // composition, rounded up

}  // namespace dpmix
