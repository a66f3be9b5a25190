// The ledger worker's memory: what every table and every grant was charged so far.
//
// Enters: the sums of dpmix.charge, once; then each charge as it is committed. A batch is decided
// on a draft that becomes the truth only when its transaction has committed. Knows no PostgreSQL.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "core/accounting/filter.hpp"
#include "core/error.hpp"

namespace dpmix::pg {

struct Terms {  // of a table, as committed when the charge is decided
  std::string name;
  Accountant accountant;
  double order;
  std::string epsilon, delta;  // the budget
  std::string granted_to;      // empty: owner or superuser
  std::string cap;             // of that grant; empty: none
};

class LedgerBook {
 public:
  void clear();
  void load(long long table, const std::string& granted_to, const Spending& spent);

  // What the release takes, noted in the draft; throws Error PV001 when it does not fit.
  Spending charge(long long table, const Terms& terms, double epsilon, double delta,
                  const Cost* own);
  void keep_draft();
  void drop_draft();

 private:
  struct Account {
    Spending spent;
    std::map<std::string, Decimal> epsilon_by_grant;
  };
  struct TableFilter {
    std::string epsilon, delta;
    double order;
    Filter filter;
  };
  const Filter& filter_of(long long table, const Terms& terms);
  Account& draft_of(long long table);

  std::unordered_map<long long, Account> accounts_;
  std::unordered_map<long long, Account> draft_;
  std::unordered_map<long long, TableFilter> filters_;
};

}  // namespace dpmix::pg
