#include "pg/ledger/decision.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/steady_clock.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/ledger/block_rows.hpp"
#include "pg/ledger/checkpoint.hpp"
#include "pg/ledger/recent_charges.hpp"
#include "pg/ledger/sights.hpp"
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

void lock_shared(int64 protection) {
  bool locked = false;
  postgres([&] { locked = lock_protection(protection, ShareLock, false); });
  if (!locked) refuse_uncommitted();
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
    const GrantSums& grant = sums.grants[i];
    book_.load(grant.account, grant.granted_to, spending_of(grant.sums));
  }
  SeenList seen = {};
  postgres([&] { seen = read_seen(); });
  for (uint64 i = 0; i < seen.count; i++) {
    const Seen& sum = seen.list[i];
    book_.load_seen(sum.account, sum.granted_to, spending_of(sum.sums));
  }
  RecentChargeList recent = {};
  postgres([&] { recent = read_recent_charges(); });
  for (int i = 0; i < recent.count; i++) {
    const RecentCharges& charges = recent.list[i];
    book_.load_recent(charges.account, charges.granted_to, this_second() - charges.age,
                      charges.charges);
  }
  through_ = sums.through;
  newest_ = Max(newest_row_, through_);
}

// A table's charges count against the population that it has joined, also where the book was loaded
// before. Whoever moved a table had the population's lock, which is ours now, and announced it.
void LedgerDecisions::follow_moves() {
  uint64 epoch = 0;
  postgres([&] { epoch = catalog_epoch(); });
  if (epoch != 0 && epoch == moves_epoch_) return;
  Memberships found = {};
  postgres([&] { found = read_memberships(); });
  for (uint64 i = 0; i < found.count; i++) book_.merge(found.list[i].table, found.list[i].account);
  moves_epoch_ = epoch;
}

// A release about several tables of an account is within the cap of each.
const Quote& LedgerDecisions::admit(const ChargeOrder& order) {
  const Cost* own = order.has_own ? &order.own : nullptr;
  const long long second = this_second();
  const std::span<const BlockRange> blocks{order.blocks,
                                           static_cast<std::size_t>(order.block_count)};
  for (int i = 0; i < order.others; i++) {
    const CommittedTerms& terms = terms_.require(order, order.other[i]);
    const long long account = terms.account;
    load_granted_blocks(terms, order.block_count > 0);
    book_.require_grant(terms, order.epsilon, order.delta, own, second, order.asked_epsilon,
                        blocks);
    if (account != terms_.require(order, order.table).account) refuse_uncommitted();
  }
  const CommittedTerms& terms = terms_.require(order, order.table);
  if (order.block_count > 0 && !book_.has_blocks(terms.account)) {
    book_.load_blocks(terms.account, read_block_sums(terms.account));
  }
  load_granted_blocks(terms, order.block_count > 0);
  return book_.admit(terms, order.epsilon, order.delta, own, second, order.asked_epsilon, blocks);
}

ChargeReply LedgerDecisions::decide(const ChargeOrder& order) {
  if (order.barrier) {
    ChargeReply settled = {};
    settled.charge_id = kSettled;
    return settled;
  }
  try {
    // Held until the commit: adjacency and accountant cannot change under a charge.
    lock_shared(order.table.id);
    for (int i = 0; i < order.others; i++) lock_shared(order.other[i].id);
    const CommittedTerms& terms = terms_.require(order, order.table);
    if (terms.account != order.table.id) lock_shared(terms.account);  // no table joins it either
    follow_moves();
    require_stamp(order);
    if (order.sight != 0) return see(order, terms);
    const Quote& quote = admit(order);
    ChargeReply reply = {};
    reply.charge_id = append(order, terms_.require(order, order.table), quote);
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
  moves_epoch_ = 0;
  numbers_.clear();
  chains_.clear();
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

// Where the grant has a share of each block's budget.
void LedgerDecisions::load_granted_blocks(const CommittedTerms& terms, bool has_blocks) {
  if (!has_blocks || terms.share.empty() || book_.has_granted_blocks(terms)) return;
  book_.load_granted_blocks(terms, read_granted_block_sums(terms.account, terms.role));
}

// terms: its own, as what is known may be read again meanwhile.
ChargeReply LedgerDecisions::see(const ChargeOrder& order, CommittedTerms terms) {
  Sums sums = {};
  bool unseen = false;
  postgres([&] { unseen = read_unseen(order.table.id, order.granted_to, order.sight, &sums); });
  if (unseen) {
    std::vector<BlockRange> blocks;
    if (terms_.has_blocks(order, order.table)) {
      blocks = read_blocks_of_charge(order.sight);
      load_granted_blocks(terms, true);
    }
    book_.see(terms, spending_of(sums), blocks);
    postgres([&] { write_sight(order.table.id, terms.granted_number, order.sight); });
  }
  ChargeReply seen = {};
  seen.charge_id = kSettled;
  return seen;
}

int64 LedgerDecisions::number_of(const ChargeOrder& order) {
  int64& number = numbers_[{order.user, NameStr(order.role)}];
  if (number == 0) {
    postgres(
        [&] { as_catalog_owner([&] { number = role_number(order.user, NameStr(order.role)); }); });
  }
  return number;
}

int64 LedgerDecisions::append(const ChargeOrder& order, const CommittedTerms& terms,
                              const Quote& quote) {
  const ChargeCost cost = {quote.epsilon.c_str(), quote.delta.c_str(), quote.amount.c_str(),
                           quote.added_delta.c_str()};
  const ChargedAs as = {terms.name.c_str(), terms.granted_to.c_str(), number_of(order),
                        (int64)terms.granted_number, (int64)terms.account};
  const auto [chain, fresh] = chains_.try_emplace(terms.account);
  if (fresh) {
    postgres([&] {
      as_catalog_owner([&] { chain->second = read_receipt_chain((int64)terms.account); });
    });
  }
  int64 id = 0;
  postgres([&] { id = append_charge(&rows_, newest_, order, as, cost, &chain->second); });
  newest_ = newest_row_ = id;
  return id;
}

bool LedgerDecisions::checkpoint_due() const {
  return newest_ - Max(through_, tried_) >= kChargesPerCheckpoint;
}

void LedgerDecisions::record_checkpoint() {
  int64 through = 0;
  postgres([&] {
    if (!ConditionalLockRelationOid(charge_table_, ShareRowExclusiveLock)) return;
    tried_ = newest_;
    through = newest_charge(&rows_);
    write_checkpoint(through);
    charge_table_ = InvalidOid;  // the next batch begins with what is recorded
  });
  // Blocks that were charged since begin() are in the book, with all charges that it knows.
  if (through != newest_row_) return;
  for (const auto& [account, sums] : book_.blocks()) {
    write_block_checkpoint(account, sums, through);
  }
}

}  // namespace dpmix::pg
