#include "pg/ledger/balance.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/accounting/three_digits.hpp"
#include "core/base/error.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/ledger/block_rows.hpp"
#include "pg/ledger/paid_blocks.hpp"
#include "pg/ledger/sums.hpp"

extern "C" {
#include "utils/float.h"
}

namespace dpmix::pg {
namespace {

// One row: the sums of all charges of account $3, those through grants of role $2 with what it was
// shown, the cap, the share and the floor of its grant of table $1.
Statement balance = {
    "WITH own AS MATERIALIZED (SELECT b.number FROM dpmix_internal.bound_role b WHERE b.oid = $2), "
    "held AS MATERIALIZED (SELECT a.epsilon, a.share, a.min_epsilon FROM dpmix.access a "
    "  WHERE a.table_id = $1 AND a.role IN (SELECT number FROM own) ORDER BY a.role LIMIT 1), "
    "seen AS MATERIALIZED (SELECT coalesce(sum(s.epsilon), 0) AS epsilon, "
    "  coalesce(sum(s.delta), 0) AS delta, coalesce(sum(s.cost), 0) AS cost, "
    "  coalesce(sum(s.cost_delta), 0) AS cost_delta FROM dpmix_internal.seen_total s "
    "  WHERE s.account = $3 AND s.granted_number IN (SELECT number FROM own)), "
    "total AS MATERIALIZED (SELECT coalesce(sum(g.epsilon), 0) AS epsilon, "
    "  coalesce(sum(g.delta), 0) AS delta, coalesce(sum(g.cost), 0) AS cost, "
    "  coalesce(sum(g.cost_delta), 0) AS cost_delta, "
    "  coalesce(sum(g.epsilon) FILTER (WHERE o.held), 0) AS held_epsilon, "
    "  coalesce(sum(g.delta) FILTER (WHERE o.held), 0) AS held_delta, "
    "  coalesce(sum(g.cost) FILTER (WHERE o.held), 0) AS held_cost, "
    "  coalesce(sum(g.cost_delta) FILTER (WHERE o.held), 0) AS held_cost_delta "
    "  FROM dpmix_internal.charge_total g "
    "  CROSS JOIN LATERAL (SELECT g.granted_number IN (SELECT number FROM own) AS held) o "
    "  WHERE g.table_id = " DPMIX_TABLES_OF("$3") ") "
    "SELECT t.epsilon::text, t.delta::text, t.cost::text, t.cost_delta::text, "
    "       (t.held_epsilon + s.epsilon)::text, (t.held_delta + s.delta)::text, "
    "       (t.held_cost + s.cost)::text, (t.held_cost_delta + s.cost_delta)::text, "
    "       h.epsilon::text, coalesce(h.min_epsilon::text, '0'), h.share::text "
    "FROM total t CROSS JOIN seen s LEFT JOIN held h ON true"};

struct BalanceRow {
  Sums sums, through_grant;
  const char* cap;  // NULL: none
  const char* least;
  const char* share;  // NULL: none
};

BalanceRow read_row(const ProtectedTable* table) {
  BalanceRow found = {};
  as_catalog_owner([&] {  // an owner or superuser has no grant, and no cap
    (void)read_rows(balance, {table->id, table->granted_to, table->account});
    const ResultRow row;
    found = {sums_in(row, 1), sums_in(row, 5), row.text(9), row.text(10), row.text(11)};
  });
  return found;
}

// limit: of the grant, which refuses the call, whatever the budget: cap, share or NULL.
std::string hint_of(double largest, double delta, const char* limit) {
  const std::string with_delta = " with delta " + Decimal::printed(delta).str();
  std::string more;
  if (limit != nullptr) {
    more = std::string(" The owner may give the role a larger ") + limit +
           ": dpmix.grant_access with another " +
           (std::strcmp(limit, "cap") == 0 ? "epsilon." : "share.");
  }
  if (largest > 0) {
    return "The largest epsilon at which this call still fits" + with_delta + " is " +
           Decimal::printed(largest).str() + "." + more;
  }
  if (limit != nullptr) return "Nothing more fits." + more;
  if (delta == 0) return "Nothing more fits; the owner may raise the budget.";
  return "Nothing fits" + with_delta + "; a smaller delta may, or the owner raises the budget.";
}

// What the fullest of the blocks has, in each sum.
Spending fullest_of(const ChargeRequest& request, const BlockSums& sums, const Filter& filter,
                    const Spending& charge) {
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

bool reads_always(const ChargeRequest& paid) {
  return paid.block_count > 0 && paid.blocks[0] == kAlways;
}

// How many periods fit into the sums of blocks. always: each of them names that block, too.
int64 periods_that_fit(BlockSums sums, const Filter& filter, const Spending& charge,
                       const PeriodsAhead& ahead, bool always) {
  const BlockFilter block_filter(filter);
  const BlockSpending one = BlockSpending::up(charge);
  BlockCharge next[] = {{{}, one}, {kAlways, one}};
  const std::span<const BlockCharge> charges{next, always ? 2u : 1u};
  for (int i = 0; i < ahead.count; i++) {
    next[0].blocks = ahead.range[i];
    if (!sums.admits(block_filter, charges)) return i;
    sums.add(charges);
  }
  return ahead.for_ever && !always ? kForEver : ahead.count;
}

ChargeRequest with_paid_blocks(const ChargeRequest& request) {
  const BlocksRead paid = paid_blocks(request);
  ChargeRequest with = request;
  with.blocks = paid.range;
  with.block_count = paid.count;
  return with;
}

BalanceRow balance_row(const ChargeRequest& request) {
  BalanceRow row = {};
  postgres([&] { row = read_row(request.table); });
  return row;
}

// The cap and the floor of the grant alone.
Balance balance_of(const BalanceRow& row, const Spending& spent) {
  return {spent, Decimal::parse(row.through_grant.part[0]),
          row.cap == NULL ? std::nullopt : std::optional(Decimal::parse(row.cap)),
          Decimal::parse(row.least)};
}

Filter part_of(const BalanceRow& row, const Filter& filter) {
  return filter.part(Decimal::parse(row.share));
}

BlockSums granted_blocks(const ChargeRequest& request) {
  return read_granted_block_sums(request.table->account, request.table->granted_to);
}

// What was charged so far; where the request names blocks, to the fullest of these.
Balance balance_of(const ChargeRequest& request, const BalanceRow& row, const Filter& filter,
                   const Spending& charge) {
  const bool blocks = request.block_count > 0;
  Balance balance = balance_of(
      row, blocks ? fullest_of(request, read_block_sums(request.table->account), filter, charge)
                  : spending_of(row.sums));
  if (row.share != NULL) {
    const Filter part = part_of(row, filter);
    balance.part = {part, blocks ? fullest_of(request, granted_blocks(request), part, charge)
                                 : spending_of(row.through_grant)};
  }
  return balance;
}

// What the grant leaves of it, whatever the budget.
int64 calls_through_grant(const ChargeRequest& request, const BalanceRow& row, Balance balance,
                          const Spending& charge, const Filter& filter, const PeriodsAhead* ahead) {
  if (request.block_count == 0 || ahead == NULL) return charges_through_grant(balance, charge);
  balance.part.reset();
  const int64 capped = charges_through_grant(balance, charge);
  if (row.share == NULL) return capped;
  return std::min<int64>(capped, periods_that_fit(granted_blocks(request), part_of(row, filter),
                                                  charge, *ahead, reads_always(request)));
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

bool leaves_cap(const ProtectedTable* table, const Sums& seen, const PlannedCharge& charged) {
  const BalanceRow row = read_row(table);
  if (row.cap == NULL && row.share == NULL) return true;
  return guard([&] {
    const Filter filter = filter_of(table);
    Spending more = spending_of(seen);
    if (charged.epsilon > 0) {
      more =
          more + filter.charge_of(charged.epsilon, charged.delta,
                                  charged.own == NULL ? std::nullopt : std::optional(*charged.own));
    }
    Balance grant = balance_of(row, {});
    grant.least = {};
    if (row.share != NULL && !has_blocks(table->blocks) && !table->always) {
      grant.part = {part_of(row, filter), spending_of(row.through_grant)};
    }
    return charges_through_grant(grant, more) > 0;
  });
}

Outlook outlook_of(const ChargeRequest& stated, const PeriodsAhead* ahead) {
  const ChargeRequest request = with_paid_blocks(stated);
  return guard([&] {
    const Filter filter = filter_of(request.table);
    const Spending charge =
        filter.charge_of(request.epsilon, request.delta,
                         request.own == NULL ? std::nullopt : std::optional(*request.own));
    const bool counts_cost = filter.accounting().counts_cost();
    const BalanceRow row = balance_row(request);
    const Balance balance = balance_of(request, row, filter, charge);
    const int64 granted = calls_through_grant(request, row, balance, charge, filter, ahead);
    const bool periods = request.block_count > 0 && ahead != NULL;
    const int64 left = periods ? periods_that_fit(read_block_sums(request.table->account), filter,
                                                  charge, *ahead, reads_always(request))
                               : charges_left(filter, {balance.spent, {}}, charge);
    const int64 calls = std::min<int64>(granted, left);
    return Outlook{(counts_cost ? charge.amount : charge.epsilon).approximate(),
                   (counts_cost ? charge.added_delta : charge.delta).approximate(),
                   filter.price(charge), calls, (balance.cap || balance.part) && granted <= calls};
  });
}

const char* largest_epsilon_hint(const ChargeRequest& stated) {
  const ChargeRequest request = with_paid_blocks(stated);
  const char* hint = NULL;
  const Repricing& call = *request.repricing;
  guard([&] {
    const Filter filter = filter_of(request.table);
    const Spending asked = call.charge_at(filter, call.epsilon);
    const Balance balance = balance_of(request, balance_row(request), filter, asked);
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
    const bool of_share = balance.part && !balance.part->filter.admits(balance.part->spent, asked);
    hint = c_string_of(hint_of(largest, call.delta, capped ? "cap" : of_share ? "share" : nullptr));
  });
  return hint;
}

}  // namespace dpmix::pg
