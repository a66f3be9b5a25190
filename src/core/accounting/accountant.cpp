#include "core/accounting/accountant.hpp"

#include "core/accounting/gdp_profile.hpp"
#include "core/accounting/renyi_of_multi_gaussian.hpp"
#include "core/accounting/renyi_profile.hpp"
#include "core/base/next_double.hpp"

namespace dpmix {

std::string_view name(Accountant accountant) {
  switch (accountant) {
    case Accountant::basic:
      return "basic";
    case Accountant::renyi:
      return "renyi";
    case Accountant::gdp:
      return "gdp";
    case Accountant::gaussian:
      return "gaussian";
  }
  return {};
}

std::optional<Accountant> accountant_of(std::string_view text) {
  for (const Accountant accountant :
       {Accountant::basic, Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    if (text == name(accountant)) return accountant;
  }
  return std::nullopt;
}

unsigned parts_of_delta(Accountant accountant) {
  return accountant == Accountant::gaussian ? 20 : 4;
}

Cost cost_of_guarantee(const Accounting& table, double epsilon, double delta) {
  switch (table.accountant) {
    case Accountant::basic:
      return {};
    case Accountant::renyi:
      return renyi_of_guarantee(table.order, epsilon, delta);
    case Accountant::gdp:
    case Accountant::gaussian:
      return gdp_of_guarantee(epsilon, delta);
  }
  return {};
}

Cost cost_of_gaussian(const Accounting& table, double mu) {
  switch (table.accountant) {
    case Accountant::basic:
      return {};
    case Accountant::renyi:
      return renyi_of_gaussian(table.order, mu);
    case Accountant::gdp:
    case Accountant::gaussian:
      return gdp_of_gaussian(mu);
  }
  return {};
}

Cost cost_of_geometric(const Accounting& table, double epsilon, double steps) {
  switch (table.accountant) {
    case Accountant::basic:
      return {};
    case Accountant::renyi:
      return renyi_of_geometric(table.order, epsilon, steps);
    case Accountant::gdp:
    case Accountant::gaussian:
      return gdp_of_geometric(epsilon, steps);
  }
  return {};
}

Cost cost_of_bounded_range(const Accounting& table, double epsilon) {
  switch (table.accountant) {
    case Accountant::basic:
      return {};
    case Accountant::renyi:
      return renyi_of_bounded_range(table.order, epsilon);
    case Accountant::gdp:
    case Accountant::gaussian:
      return gdp_of_bounded_range(epsilon);
  }
  return {};
}

Cost cost_of_multi_gaussian(const Accounting& table, const NoiseLaw& law) {
  switch (table.accountant) {
    case Accountant::basic:
      return {};
    case Accountant::renyi:
      return renyi_of_multi_gaussian(table.order, law);
    case Accountant::gdp:
    case Accountant::gaussian:  // its Gaussian component, moved by independent noise
      check_law(law);
      return gdp_of_gaussian(next_up(law.sensitivity / law.scale));
  }
  return {};
}

}  // namespace dpmix
