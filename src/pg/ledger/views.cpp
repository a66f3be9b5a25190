// What the views of budgets compute beyond sums.
#include <charconv>
#include <iterator>
#include <optional>
#include <string>

#include "core/accounting/filter.hpp"
#include "pg/border/guard.hpp"

extern "C" {
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(dpmix_epsilon_spent);
PG_FUNCTION_INFO_V1(dpmix_share_spent);
}

namespace {

using dpmix::Decimal;
using dpmix::Filter;
using dpmix::Spending;
using dpmix::pg::guard;

struct Sums {  // the arguments, as texts
  const char* accountant;
  double order;
  const char* budget[2];
  const char* sum[4];
};

const char* decimal_argument(FunctionCallInfo fcinfo, int i) {
  return DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(i)));
}

bool read_sums(FunctionCallInfo fcinfo, Sums* sums) {
  for (int i = 0; i < PG_NARGS(); i++) {
    if (PG_ARGISNULL(i) && i != 3) return false;  // only `renyi` has an order
  }
  sums->accountant = text_to_cstring(PG_GETARG_TEXT_PP(0));
  sums->order = PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3);
  for (int i = 0; i < 2; i++) sums->budget[i] = decimal_argument(fcinfo, 1 + i);
  for (int i = 0; i < 4; i++) sums->sum[i] = decimal_argument(fcinfo, 4 + i);
  return true;
}

// An export asks row by row for one table after another.
struct KnownFilter {
  std::string accountant, epsilon, delta;
  double order;
  Filter filter;
};

const Filter& filter_of(const Sums& sums) {
  static std::optional<KnownFilter> known;
  if (!known || known->accountant != sums.accountant || known->epsilon != sums.budget[0] ||
      known->delta != sums.budget[1] || known->order != sums.order) {
    const auto accountant =
        dpmix::accountant_of(sums.accountant).value_or(dpmix::Accountant::renyi);
    known = KnownFilter{sums.accountant, sums.budget[0], sums.budget[1], sums.order,
                        Filter(accountant, Decimal::parse(sums.budget[0]),
                               Decimal::parse(sums.budget[1]), sums.order)};
  }
  return known->filter;
}

Spending spending_of(const Sums& sums) {
  return {Decimal::parse(sums.sum[0]), Decimal::parse(sums.sum[1]), Decimal::parse(sums.sum[2]),
          Decimal::parse(sums.sum[3])};
}

}  // namespace

Datum dpmix_epsilon_spent(PG_FUNCTION_ARGS) {
  Sums sums;
  if (!read_sums(fcinfo, &sums)) PG_RETURN_NULL();
  char spent[32] = "";
  guard([&] {
    const double epsilon = filter_of(sums).epsilon_spent(spending_of(sums));
    *std::to_chars(spent, std::end(spent) - 1, epsilon).ptr = '\0';
  });
  PG_RETURN_DATUM(DirectFunctionCall3(numeric_in, CStringGetDatum(spent),
                                      ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

Datum dpmix_share_spent(PG_FUNCTION_ARGS) {
  Sums sums;
  if (!read_sums(fcinfo, &sums)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(guard([&] { return filter_of(sums).share_spent(spending_of(sums)); }));
}
