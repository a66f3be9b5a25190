// What is committed about a table and a grant, as the ledger worker believes it: read once, and
// again when the catalog's epoch has changed.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "pg/ledger/book.hpp"
#include "pg/ledger/request_slots.hpp"

namespace dpmix::pg {

// Error PV004.
[[noreturn]] void refuse_uncommitted();

class LedgerTerms {
 public:
  // The terms of one of the order's tables, whose protection is locked. Refuses (Error PV004,
  // PV006) what is not as the order says. Valid until the next call.
  const CommittedTerms& require(const ChargeOrder& order, const OrderedTable& table);
  bool has_blocks(const ChargeOrder& order, const OrderedTable& table);
  void forget();

 private:
  struct Committed {
    bool found, active;
    bool has_blocks;          // its account
    bool has_column, always;  // its rows are in them by a column, or in none
    Oid relation;
    std::string adjacency;
    CommittedTerms terms;
  };
  const Committed& committed(int64 table, Oid granted_to);

  uint64 epoch_ = 0;  // the catalog's, when all that is known was read
  std::map<std::pair<int64, Oid>, Committed> known_;
};

}  // namespace dpmix::pg
