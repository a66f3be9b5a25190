#include "pg/ledger/decision.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/ledger/checkpoint.hpp"
#include "pg/ledger/recent_charges.hpp"
#include "pg/ledger/stamp.hpp"

extern "C" {
#include "storage/lmgr.h"
}

namespace dpmix::pg {
namespace {

// Locked before it is believed: the extension may be dropped and made anew at any time.
Oid lock_charge_table() {
  Oid table = InvalidOid;
  for (Oid locked = InvalidOid; (table = catalog_table("charge")) != locked;) {
    if (!OidIsValid(table)) elog(ERROR, "the table dpmix.charge is gone");
    LockRelationOid(locked = table, RowExclusiveLock);
  }
  return table;
}

// Never below a minute, so that there is one to look back on.
long long this_second() {
  return steady_microseconds() / 1'000'000 + 100;
}

}  // namespace

void LedgerDecisions::begin() {
  Oid table = InvalidOid;
  int64 newest_row = 0;
  postgres([&] {
    table = lock_charge_table();
    if (table != charge_table_) rows_ = {};
    open_charges(&rows_, table);
    newest_row = newest_charge(&rows_);
  });
  // Until the stamp is ours charges may still come by a restore.
  if (table != charge_table_ || newest_row != newest_row_ || stamp_ != Stamp::ours) {
    forget();
    newest_row_ = newest_row;
    load_book();
    charge_table_ = table;
  }
}

void LedgerDecisions::load_book() {
  LedgerSums sums = {};
  postgres([&] { sums = read_ledger_sums(); });
  for (uint64 i = 0; i < sums.count; i++) {
    const AccountSums& account = sums.accounts[i];
    book_.load(account.table, account.granted_to, spending_of(account.sums));
  }
  RecentChargeList recent = {};
  postgres([&] { recent = read_recent_charges(); });
  for (int i = 0; i < recent.count; i++) {
    const RecentCharges& charges = recent.list[i];
    book_.load_recent(charges.table, charges.granted_to, this_second() - charges.age,
                      charges.charges);
  }
  through_ = sums.through;
  newest_ = Max(newest_row_, through_);
}

ChargeReply LedgerDecisions::decide(const ChargeOrder& order) {
  if (order.barrier) {
    ChargeReply settled = {};
    settled.charge_id = kSettled;
    return settled;
  }
  try {
    bool locked = false;
    // Held until the commit: adjacency and accountant cannot change under a charge.
    postgres([&] { locked = lock_protection(order.table_id, ShareLock, false); });
    if (!locked) refuse_uncommitted();
    const Terms& terms = terms_.require(order);
    require_stamp(order);
    const Quote& quote = book_.admit(order.table_id, terms, order.epsilon, order.delta,
                                     order.has_own ? &order.own : nullptr, this_second());
    ChargeReply reply = {};
    reply.charge_id = append(order, terms, quote);
    return reply;
  } catch (const Error& error) {
    return refusal_reply(sqlstate(error.code), error.message.c_str(), error.detail.c_str(),
                         error.hint.c_str());
  }
}

void LedgerDecisions::end() {
  postgres([&] { close_charges(&rows_); });
}

void LedgerDecisions::forget() {
  book_.clear();
  terms_.forget();
  charge_table_ = InvalidOid;
  newest_ = newest_row_ = through_ = 0;
  stamp_ = Stamp::unread;
}

void LedgerDecisions::require_stamp(const ChargeOrder& order) {
  if (stamp_ == Stamp::ours) return;
  StampCheck found = StampCheck::elsewhere;
  // The first charge of all writes the stamp.
  postgres([&] {
    as_catalog_owner(
        [&] { found = check_stamp(NameStr(order.role), "first request of a charge"); });
  });
  if (found == StampCheck::elsewhere) {
    throw Error(ErrorCode::ledger_unavailable, "the ledger was made in another place",
                "This database is a restored, copied or promoted one: its newest stamp differs.",
                "If the other copy charges no more, its owner runs dpmix.adopt_ledger(reason).");
  }
  stamp_ = Stamp::ours;
}

int64 LedgerDecisions::append(const ChargeOrder& order, const Terms& terms, const Quote& quote) {
  const ChargeCost cost = {quote.epsilon.c_str(), quote.delta.c_str(), quote.amount.c_str(),
                           quote.added_delta.c_str()};
  const char* name = terms.name.c_str();
  int64 id = 0;
  postgres([&] { id = append_charge(&rows_, newest_, order, name, cost); });
  newest_ = newest_row_ = id;
  return id;
}

bool LedgerDecisions::checkpoint_due() const {
  return newest_ - Max(through_, tried_) >= kChargesPerCheckpoint;
}

void LedgerDecisions::record_checkpoint() {
  postgres([&] {
    if (!ConditionalLockRelationOid(charge_table_, ShareRowExclusiveLock)) return;
    tried_ = newest_;
    write_checkpoint(newest_charge(&rows_));
    charge_table_ = InvalidOid;  // the next batch begins with what is recorded
  });
}

}  // namespace dpmix::pg
