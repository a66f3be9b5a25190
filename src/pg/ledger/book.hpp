// The ledger worker's memory: what every table and every grant was charged so far.
//
// Enters: the sums of dpmix.charge, once; then each charge as it is decided, which counts at once.
// It is the truth while transactions commit; after one that did not, clear() and load it again.
// Knows no PostgreSQL.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "core/accounting/filter.hpp"
#include "pg/ledger/charge_rate.hpp"

namespace dpmix::pg {

struct Terms {  // of a table, as committed when the charge is decided
  std::string name;
  Accountant accountant;
  double order;
  std::string epsilon, delta;  // the budget
  std::string granted_to;      // empty: owner or superuser
  std::string cap;             // of that grant; empty: none
  std::string least;           // epsilon that a charge through it asks at least; empty: any
  long long per_minute;        // charges through it at most; 0: any number
};

struct Quote {  // what a release takes, and the same as text
  Spending cost;
  std::string epsilon, delta, amount, added_delta;
};

class LedgerBook {
 public:
  void clear();
  void load(long long table, const std::string& granted_to, const Spending& spent);

  // Charges of a second of the last minute, among the sums already.
  void load_recent(long long table, const std::string& granted_to, long long second,
                   long long charges);

  // What the release takes, added up; throws Error PV001, and adds nothing, when it does not fit,
  // PV004 or PV005 where the grant does not allow it. second: of a clock that never jumps. Valid
  // until the next call.
  const Quote& admit(long long table, const Terms& terms, double epsilon, double delta,
                     const Cost* own, long long second);

 private:
  struct ThroughGrant {
    Decimal epsilon;
    ChargeRate rate;
  };
  struct Account {
    Spending spent;
    std::unordered_map<std::string, ThroughGrant> by_grant;
  };
  struct Asked {
    double epsilon, delta;
    std::optional<Cost> own;
    bool operator==(const Asked&) const = default;
  };
  struct TableFilter {
    Accountant accountant;
    std::string epsilon, delta;
    double order;
    Filter filter;
    std::optional<Asked> asked;  // what quote answers; analysts tend to ask for the same again
    Quote quote;
  };
  TableFilter& filter_of(long long table, const Terms& terms);
  const Quote& quote_of(TableFilter& filter, const Asked& asked);

  std::unordered_map<long long, Account> accounts_;
  std::unordered_map<long long, TableFilter> filters_;
};

}  // namespace dpmix::pg
