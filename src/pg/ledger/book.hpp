// The ledger worker's memory: what every account (a table's own or a population's), and every grant
// within it, was charged so far.
//
// Enters: the sums of dpmix.charge, once; then each charge as it is decided, which counts at once.
// It is the truth while transactions commit; after one that did not, clear() and load it again.
// Knows no PostgreSQL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "core/accounting/block_sums.hpp"
#include "core/accounting/filter.hpp"
#include "pg/ledger/charge_rate.hpp"

namespace dpmix::pg {

using Role = std::uint32_t;  // its oid; 0: owners and superusers

struct CommittedTerms {  // those of a table, as committed when the charge is decided
  long long account;
  std::string population;  // empty: the account is the table's own
  std::string name;
  Accountant accountant;
  double order;
  std::string epsilon, delta;  // the budget
  std::string granted_to;      // the role of the grant; empty: owner or superuser
  Role role;                   // which role that is
  long long granted_number;    // its number in dpmix.role_number; 0: there is no such grant
  std::string cap;             // the grant's; empty: none
  std::string share;           // part of the budget that its charges may come to; empty: none
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
  void load(long long account, Role granted_to, const Spending& spent);

  // The sums of what a grant was shown of others' charges.
  void load_seen(long long account, Role granted_to, const Spending& seen);

  // Charges of a second of the last minute, among the sums already.
  void load_recent(long long account, Role granted_to, long long second, long long charges);
  // What one account was charged counts against another from now on; nothing if that was so.
  void merge(long long from, long long to);

  // What the release takes, added up; throws Error PV001, and adds nothing, when it does not fit,
  // PV004 or PV005 where the grant does not allow it. second: of a clock that never jumps. Valid
  // until the next call.
  // blocks: those that it reads, of a table that has any; their sums are loaded.
  const Quote& admit(const CommittedTerms& terms, double epsilon, double delta, const Cost* own,
                     long long second, double asked_epsilon = 0,
                     std::span<const BlockRange> blocks = {});
  bool has_blocks(long long account) const { return blocks_.contains(account); }
  void load_blocks(long long account, BlockSums sums) { blocks_[account] = std::move(sums); }
  // What was charged to blocks through a grant that has a share, and what it was shown.
  bool has_granted_blocks(const CommittedTerms& terms) const;
  void load_granted_blocks(const CommittedTerms& terms, BlockSums sums);
  // The sums of blocks, for each account that has any.
  const std::unordered_map<long long, BlockSums>& blocks() const { return blocks_; }
  // The part of it that is about the grant, for one more table of the same account.
  void require_grant(const CommittedTerms& terms, double epsilon, double delta, const Cost* own,
                     long long second, double asked_epsilon = 0,
                     std::span<const BlockRange> blocks = {});
  // Counts a charge of others against the cap of a grant that is shown its answer. Error PV001.
  void see(const CommittedTerms& terms, const Spending& charge,
           std::span<const BlockRange> blocks = {});

 private:
  struct ThroughGrant {
    Spending spent;
    std::optional<BlockSums> blocks;  // where they were asked for
    ChargeRate rate;
  };
  struct Account {
    Spending spent;
    std::unordered_map<Role, ThroughGrant> by_grant;
  };
  struct Asked {
    double epsilon, delta;
    std::optional<Cost> own;
    bool operator==(const Asked&) const = default;
  };
  struct AccountFilter {
    Accountant accountant;
    std::string epsilon, delta;
    double order;
    Filter filter;
    BlockFilter block_filter;
    std::optional<Asked> asked;  // what quote answers; analysts tend to ask for the same again
    Quote quote;
  };
  AccountFilter& filter_of(const CommittedTerms& terms);
  void require_share(const CommittedTerms& terms, const Filter& filter, const ThroughGrant& grant,
                     const Spending& charge, std::span<const BlockRange> blocks, double epsilon,
                     double delta) const;
  static void add_to_grant(ThroughGrant& grant, const Spending& charge,
                           std::span<const BlockRange> blocks);
  void admit_blocks(const CommittedTerms& terms, const AccountFilter& known, double epsilon,
                    double delta, std::span<const BlockRange> blocks);
  const Quote& quote_of(AccountFilter& filter, const Asked& asked);

  std::unordered_map<long long, Account> accounts_;
  std::unordered_map<long long, AccountFilter> filters_;
  std::unordered_map<long long, BlockSums> blocks_;
};

}  // namespace dpmix::pg
