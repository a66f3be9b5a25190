// dpmix.charges_admitted: what a budget is good for, before a table is protected. A pure function
// of public numbers, like the tools of planning.cpp.
#include <vector>

#include "core/accounting/balance.hpp"
#include "core/query/plan.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/border/guard.hpp"
#include "pg/owner/owned.hpp"
#include "pg/border/arguments.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_charges_admitted);
}

namespace dpmix::pg {
namespace {

constexpr int kMostStatistics = 1000;

struct Question {
  double epsilon_total, delta_total;
  const char* accountant;
  const char* mechanism;
  double epsilon, delta;
  IntegerArgument statistics;
  bool has_steps;
  int64 steps;
};

// The rest is inside guard().
Accountant required_accountant(const char* text) {
  if (text != nullptr) {
    if (const auto accountant = accountant_of(text)) return *accountant;
  }
  refuse_parameter(text == nullptr ? "accountant is missing" : "unknown accountant",
                   text == nullptr ? "accountant is NULL."
                                   : std::string("There is no accountant \"") + text + "\".",
                   "Accountants are those of dpmix.protect.");
}

void require_shape(const Question& asked) {
  if (asked.statistics.is_null || asked.statistics.value < 1 ||
      asked.statistics.value > kMostStatistics) {
    refuse_parameter("statistics out of range",
                     "It must be between 1 and " + std::to_string(kMostStatistics) + ".",
                     "A count or a sum is one statistic, an average two.");
  }
  if (!asked.has_steps || asked.steps < 1 || asked.steps > Lattice::max_index) {
    refuse_parameter("lattice_steps out of range", "It must be between 1 and 2^53.",
                     "A row moves a count by one step, a sum by many.");
  }
}

int64 charges_admitted(const Question& asked, Accountant accountant) {
  require(asked.epsilon, "epsilon", "between 1e-6 and 1e7");
  require(asked.delta, "delta", "between 0 and 0.5");
  require_shape(asked);
  const bool automatic = asked.mechanism != nullptr && std::string_view(asked.mechanism) == "auto";
  const QueryRequest request{
      asked.epsilon, asked.delta,
      automatic ? std::nullopt : std::optional(required_family(asked.mechanism))};
  const double order =
      accountant == Accountant::renyi ? choose_order(asked.epsilon_total, asked.delta_total) : 0;
  const Filter filter(accountant, Decimal::printed(asked.epsilon_total),
                      Decimal::printed(asked.delta_total), order);
  const std::vector<StatisticShift> statistics(
      static_cast<std::size_t>(asked.statistics.value),
      statistic_shift(Lattice{0, 1, 0, asked.steps}, Adjacency::add_remove, false));
  return charges_left(filter, {}, price_query(request, filter, statistics, cached_on_lattice));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_charges_admitted(PG_FUNCTION_ARGS) {
  const Question asked{.epsilon_total = float8_argument(fcinfo, 0),
                       .delta_total = float8_argument(fcinfo, 1),
                       .accountant = text_argument(fcinfo, 2),
                       .mechanism = text_argument(fcinfo, 3),
                       .epsilon = float8_argument(fcinfo, 4),
                       .delta = float8_argument(fcinfo, 5),
                       .statistics = integer_argument(fcinfo, 6),
                       .has_steps = !PG_ARGISNULL(7),
                       .steps = PG_ARGISNULL(7) ? 0 : PG_GETARG_INT64(7)};
  const Accountant accountant = guard([&] { return required_accountant(asked.accountant); });
  require_budget(asked.epsilon_total, asked.delta_total, asked.accountant);
  PG_RETURN_INT64(guard([&] { return charges_admitted(asked, accountant); }));
}
