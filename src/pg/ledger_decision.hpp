// One request, decided and written: what is committed about the table, the stamp, the filter.
#pragma once

#include "pg/ledger_book.hpp"
#include "pg/ledger_shared.hpp"

namespace dpmix::pg {

class LedgerDecisions {
 public:
  // In the transaction of a batch, connected to SPI as the catalog's owner; C++ under guard().
  // Loads the book if it is not, or no more, of this catalog.
  void begin();
  // A committed charge's id once that transaction commits, or a refusal. An error of PostgreSQL is
  // an exception, and the whole transaction must be undone.
  ChargeReply decide(const ChargeOrder& order);

  void keep();  // after the commit
  void drop();  // after an abort

 private:
  void load_book();
  void require_stamp(const ChargeOrder& order);
  Terms require_terms(const ChargeOrder& order);
  int64 append(const ChargeOrder& order, const Terms& terms, const Spending& cost);

  enum class Stamp { unread, absent, written, ours };
  LedgerBook book_;
  Oid charge_table_ = InvalidOid;  // whose sums the book holds
  Stamp stamp_ = Stamp::unread;
};

}  // namespace dpmix::pg
