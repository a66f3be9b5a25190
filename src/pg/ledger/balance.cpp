#include "pg/ledger/balance.hpp"

#include <algorithm>
#include <string>

#include "core/accounting/three_digits.hpp"
#include "core/base/error.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/block_rows.hpp"
#include "pg/ledger/sums.hpp"

extern "C" {
#include "utils/float.h"
}

namespace dpmix::pg {
namespace {

// One row: the sums of all charges of account $3, the epsilon through grants of role $2, the cap
// and the floor of its grant of table $1.
Statement balance = {
    "WITH own AS MATERIALIZED (SELECT b.number FROM dpmix_internal.bound_role b WHERE b.oid = $2), "
    "held AS MATERIALIZED (SELECT a.epsilon, a.min_epsilon FROM dpmix.access a "
    "  WHERE a.table_id = $1 AND a.role IN (SELECT number FROM own) ORDER BY a.role LIMIT 1) "
    "SELECT coalesce(sum(g.epsilon), 0)::text, coalesce(sum(g.delta), 0)::text, "
    "       coalesce(sum(g.cost), 0)::text, coalesce(sum(g.cost_delta), 0)::text, "
    "       (coalesce(sum(g.epsilon) FILTER ("
    "            WHERE g.granted_number IN (SELECT number FROM own)), 0) + "
    "        coalesce((SELECT sum(s.epsilon) FROM dpmix_internal.seen_total s "
    "                  WHERE s.account = $3 "
    "                  AND s.granted_number IN (SELECT number FROM own)), 0))::text, "
    "       (SELECT epsilon::text FROM held), "
    "       coalesce((SELECT min_epsilon::text FROM held), '0') "
    "FROM dpmix_internal.charge_total g WHERE g.table_id = " DPMIX_TABLES_OF("$3")};

struct BalanceRow {
  Sums sums;
  const char* through_grant;
  const char* cap;  // NULL: none
  const char* least;
};

BalanceRow read_row(const ProtectedTable* table) {
  BalanceRow found = {};
  as_catalog_owner([&] {  // without a grant, as of the owner or a superuser, there is no cap
    (void)read_rows(balance, {table->id, table->granted_to, table->account});
    const ResultRow row;
    found = {sums_in(row, 1), row.text(5), row.text(6), row.text(7)};
  });
  return found;
}

// capped: the grant's cap refuses the call, whatever the budget.
std::string hint_of(double largest, double delta, bool capped) {
  const std::string with_delta = " with delta " + Decimal::printed(delta).str();
  const std::string cap =
      " The owner may give the role a larger cap: dpmix.grant_access with another epsilon.";
  if (largest > 0) {
    return "The largest epsilon at which this call still fits" + with_delta + " is " +
           Decimal::printed(largest).str() + "." + (capped ? cap : "");
  }
  if (capped) return "Nothing more fits." + cap;
  if (delta == 0) return "Nothing more fits; the owner may raise the budget.";
  return "Nothing fits" + with_delta + "; a smaller delta may, or the owner raises the budget.";
}

// What the fullest of the blocks has, in each sum, where the charge is one of blocks.
Spending spent_of(const ChargeRequest& request, const Sums& all, const Filter& filter,
                  const Spending& charge) {
  if (request.block_count == 0) return spending_of(all);
  const BlockSums sums = read_block_sums(request.table->account);
  const BlockFilter block_filter(filter);
  BlockSpending most;
  for (int i = 0; i < request.block_count; i++) {
    const BlockCharge asked{request.blocks[i], BlockSpending::up(charge)};
    const BlockSegment tight = sums.tightest(block_filter, asked);
    if (!block_filter.admits(tight.sums + asked.charge)) return tight.sums.decimals();
    for (std::size_t part = 0; part < most.part.size(); part++) {
      most.part[part] = std::max(most.part[part], tight.sums.part[part]);
    }
  }
  return most.decimals();
}

int64 periods_that_fit(const ChargeRequest& request, const Filter& filter, const Spending& charge,
                       const PeriodsAhead& ahead) {
  BlockSums sums = read_block_sums(request.table->account);
  const BlockFilter block_filter(filter);
  BlockCharge next{{}, BlockSpending::up(charge)};
  for (int i = 0; i < ahead.count; i++) {
    next.blocks = ahead.range[i];
    if (!sums.admits(block_filter, {&next, 1})) return i;
    sums.add({&next, 1});
  }
  return ahead.for_ever ? kForEver : ahead.count;
}

BalanceRow balance_row(const ChargeRequest& request) {
  BalanceRow row = {};
  postgres([&] { row = read_row(request.table); });
  return row;
}

Balance balance_of(const BalanceRow& row, const Spending& spent) {
  return {spent, Decimal::parse(row.through_grant),
          row.cap == NULL ? std::nullopt : std::optional(Decimal::parse(row.cap)),
          Decimal::parse(row.least)};
}

Balance read_balance(const ChargeRequest& request, const Filter& filter, const Spending& charge) {
  const BalanceRow row = balance_row(request);
  return balance_of(row, spent_of(request, row.sums, filter, charge));
}

int64 calls_left(const ChargeRequest& request, const Filter& filter, const Spending& charge,
                 const PeriodsAhead* ahead) {
  if (request.block_count == 0 || ahead == NULL) {
    return charges_left(filter, read_balance(request, filter, charge), charge);
  }
  const Balance grant = balance_of(balance_row(request), {});
  return std::min<int64>(charges_through_grant(grant, charge),
                         periods_that_fit(request, filter, charge, *ahead));
}

}  // namespace

Filter filter_of(const ProtectedTable* table) {
  return Filter(table->accountant, Decimal::parse(table->epsilon), Decimal::parse(table->delta),
                table->order);
}

double cap_of(const ProtectedTable* table) {
  if (!OidIsValid(table->granted_to)) return get_float8_infinity();
  const BalanceRow row = read_row(table);
  if (row.cap == NULL) return get_float8_infinity();
  return guard([&] { return Decimal::parse(row.cap).approximate(); });
}

bool leaves_cap(const ProtectedTable* table, const char* seen, double charged) {
  const BalanceRow row = read_row(table);
  if (row.cap == NULL) return true;
  return guard([&] {
    const Decimal more = Decimal::parse(seen) + Decimal::printed(charged);
    return !(Decimal::parse(row.through_grant) + more > Decimal::parse(row.cap));
  });
}

Outlook outlook_of(const ChargeRequest& request, const PeriodsAhead* ahead) {
  return guard([&] {
    const Filter filter = filter_of(request.table);
    const Spending charge =
        filter.charge_of(request.epsilon, request.delta,
                         request.own == NULL ? std::nullopt : std::optional(*request.own));
    const bool counts_cost = filter.accounting().counts_cost();
    const int64 calls = calls_left(request, filter, charge, ahead);
    const Balance grant = balance_of(balance_row(request), {});
    const bool capped = grant.cap && charges_through_grant(grant, charge) <= calls;
    return Outlook{(counts_cost ? charge.amount : charge.epsilon).approximate(),
                   (counts_cost ? charge.added_delta : charge.delta).approximate(),
                   filter.price(charge), calls, capped};
  });
}

const char* largest_epsilon_hint(const ChargeRequest& request) {
  const char* hint = NULL;
  const Repricing& call = *request.repricing;
  guard([&] {
    const Filter filter = filter_of(request.table);
    const Balance balance = read_balance(request, filter, call.charge_at(filter, call.epsilon));
    // Absent where an epsilon is too small for such a release, or for the grant: a larger one may
    // do.
    const auto fits = [&](double other) -> std::optional<bool> {
      try {
        const Spending charge = call.charge_at(filter, other);
        if (charge.epsilon < balance.least) return std::nullopt;
        return admits(filter, balance, charge);
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    if (fits(call.epsilon).value_or(true)) return;
    double largest = largest_of_three_digits(
        [&](double other) { return other >= call.epsilon || !fits(other).value_or(true); });
    if (!fits(largest).value_or(false)) largest = 0;
    const bool capped =
        balance.cap && balance.through_grant + Decimal::printed(call.epsilon) > *balance.cap;
    hint = c_string_of(hint_of(largest, call.delta, capped));
  });
  return hint;
}

}  // namespace dpmix::pg
