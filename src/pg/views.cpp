// What the view dpmix.budget computes beyond sums.
#include "core/accounting/filter.hpp"
#include "pg/guard.hpp"

extern "C" {
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(dpmix_epsilon_spent);
}

namespace {

const char* decimal_argument(FunctionCallInfo fcinfo, int i) {
  return DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(i)));
}

}  // namespace

Datum dpmix_epsilon_spent(PG_FUNCTION_ARGS) {
  for (int i = 0; i < PG_NARGS(); i++) {
    if (PG_ARGISNULL(i) && i != 3) PG_RETURN_NULL();  // an order under `renyi` alone
  }
  const char* accountant = text_to_cstring(PG_GETARG_TEXT_PP(0));
  const char* budget[] = {decimal_argument(fcinfo, 1), decimal_argument(fcinfo, 2)};
  double order = PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3);
  const char* sum[4];
  for (int i = 0; i < 4; i++) sum[i] = decimal_argument(fcinfo, 4 + i);

  char* spent = NULL;
  dpmix::pg::guard([&] {
    using dpmix::Decimal;
    const dpmix::Filter filter(dpmix::accountant_of(accountant).value_or(dpmix::Accountant::renyi),
                               Decimal::parse(budget[0]), Decimal::parse(budget[1]), order);
    const dpmix::Spending spending{Decimal::parse(sum[0]), Decimal::parse(sum[1]),
                                   Decimal::parse(sum[2]), Decimal::parse(sum[3])};
    const std::string digits = Decimal::printed(filter.epsilon_spent(spending)).str();
    const char* text = digits.c_str();
    dpmix::pg::postgres([&] { spent = pstrdup(text); });
  });
  PG_RETURN_DATUM(DirectFunctionCall3(numeric_in, CStringGetDatum(spent),
                                      ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}
