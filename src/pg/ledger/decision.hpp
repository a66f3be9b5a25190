// One request, decided and written: what is committed about the table, the stamp, the filter.
#pragma once

#include <map>
#include <string>

#include "pg/ledger/book.hpp"
#include "pg/ledger/charge_rows.hpp"
#include "pg/ledger/request_slots.hpp"
#include "pg/ledger/terms.hpp"

namespace dpmix::pg {

class LedgerDecisions {
 public:
  // Locks dpmix.charge and reads its sums, unless it holds them and they are still those of all
  // its rows. Call in the transaction of a batch, as the catalog's owner, inside guard().
  void begin();
  // A committed charge's id once that transaction commits, or a refusal. An error of PostgreSQL is
  // an exception: the transaction must be undone, and all of this forgotten.
  ChargeReply decide(const ChargeOrder& order);
  // Writes down the sums, unless somebody else may be writing charges; then a later time will do.
  // Call between begin() and end(), in a transaction without a charge.
  bool checkpoint_due() const;
  void record_checkpoint();
  void end();  // call before the commit
  // Call after a transaction that did not commit: the next one reads everything again.
  void forget();

 private:
  void load_book();
  void follow_moves();
  const Quote& admit(const ChargeOrder& order);
  void load_granted_blocks(const CommittedTerms& terms, bool has_blocks);
  void require_stamp(const ChargeOrder& order);
  ChargeReply see(const ChargeOrder& order, CommittedTerms terms);
  int64 number_of(const ChargeOrder& order);  // the role's number
  int64 append(const ChargeOrder& order, const CommittedTerms& terms, const Quote& quote);

  enum class Stamp { unread, ours };
  LedgerBook book_;
  LedgerTerms terms_;
  std::map<std::pair<Oid, std::string>, int64> numbers_;  // of roles that charged
  std::map<long long, ReceiptChain> chains_;              // of accounts that were charged
  uint64 moves_epoch_ = 0;         // the catalog's, when tables' populations were looked at last
  Oid charge_table_ = InvalidOid;  // whose sums the book holds
  int64 newest_ = 0;               // the largest id in the sums, or stated by a checkpoint
  int64 newest_row_ = 0;           // the largest id in the table
  int64 through_ = 0;              // the last charge in the last checkpoint
  int64 tried_ = 0;  // where one was begun last: one that fails is not tried at every charge
  Stamp stamp_ = Stamp::unread;
  ChargeRows rows_ = {};
};

}  // namespace dpmix::pg
