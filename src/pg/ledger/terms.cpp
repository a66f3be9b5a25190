#include "pg/ledger/terms.hpp"

#include <optional>

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"

namespace dpmix::pg {
namespace {

Statement committed_terms = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), p.active, p.relation, p.adjacency, "
    "       p.accountant, coalesce(p.renyi_order, 0), b.epsilon::text, b.delta::text, "
    "       a.role IS NOT NULL, coalesce(a.epsilon::text, ''), "
    "       coalesce(a.min_epsilon::text, ''), coalesce(a.max_charges_per_minute, 0), "
    "       coalesce(p.account, p.id), "
    "       coalesce(q.name::text, ''), "
    "       EXISTS (SELECT FROM dpmix.block_column k WHERE k.table_id = p.id) "
    "FROM dpmix.protected_table p "
    "LEFT JOIN dpmix.population q ON q.id = p.account "
    "JOIN LATERAL (SELECT c.epsilon, c.delta FROM dpmix.budget_change c "
    "              WHERE c.table_id = coalesce(p.account, p.id) ORDER BY c.id DESC LIMIT 1) b ON "
    "true "
    "LEFT JOIN dpmix.access a ON a.table_id = p.id AND a.role = $2 "
    "WHERE p.id = $1"};

struct TermsRow {  // texts in the memory context of the batch
  bool found = false, active, granted, has_blocks;
  Oid relation;
  double order;
  const char *name = "", *adjacency = "", *accountant = "", *epsilon = "", *delta = "", *cap = "",
             *least = "", *population = "";
  int32 per_minute;
  int64 account;
};

TermsRow read_terms(int64 table, const char* granted_to) {
  TermsRow found = {};
  as_catalog_owner([&] {
    if (read_rows(committed_terms, {table, name_value(granted_to)}) == 0) return;
    const ResultRow row;
    found = {.found = true,
             .active = row.truth(2),
             .granted = row.truth(9),
             .has_blocks = row.truth(15),
             .relation = row.oid(3),
             .order = row.float8(6),
             .name = row.text(1),
             .adjacency = row.text(4),
             .accountant = row.text(5),
             .epsilon = row.text(7),
             .delta = row.text(8),
             .cap = row.text(10),
             .least = row.text(11),
             .population = row.text(14),
             .per_minute = row.int4(12),
             .account = row.int8(13)};
  });
  return found;
}

}  // namespace

void refuse_uncommitted() {
  throw Error(ErrorCode::ledger_unavailable, "the protection of this table is not committed",
              "The ledger worker sees committed declarations only.",
              "COMMIT the transaction with protect() or unprotect() first.");
}

const Terms& LedgerTerms::require(const ChargeOrder& order, const OrderedTable& table) {
  const Committed& now = committed(table.id, order.granted_to);
  const bool as_asked = now.found && now.active && now.relation == table.relation &&
                        now.adjacency == dpmix::name(order.adjacency) &&
                        now.terms.accountant == order.accountant &&
                        now.terms.order == order.order &&
                        (order.sight != 0 || now.has_blocks == (order.block_count > 0));
  if (!as_asked) refuse_uncommitted();
  const Terms& terms = now.terms;
  if (!terms.granted_to.empty() && !now.granted) {
    throw Error(ErrorCode::not_protected, "access to " + terms.name + " was revoked",
                "The grant of role \"" + terms.granted_to + "\" is gone.",
                "Its owner gives access with dpmix.grant_access().");
  }
  return terms;
}

void LedgerTerms::forget() {
  known_.clear();
}

const LedgerTerms::Committed& LedgerTerms::committed(int64 table, const NameData& granted_to) {
  uint64 epoch = 0;
  postgres([&] { epoch = catalog_epoch(); });
  if (epoch == 0 || epoch != epoch_) forget();
  epoch_ = epoch;
  asked_.first = table;
  asked_.second = NameStr(granted_to);
  const auto known = known_.find(asked_);
  if (known != known_.end()) return known->second;

  TermsRow row;
  // A change that is announced meanwhile is another epoch: the next request reads again.
  postgres([&] { row = read_terms(table, NameStr(granted_to)); });
  // Nothing of the order goes in: what it says may never have been committed.
  const std::optional<Accountant> accountant = accountant_of(row.accountant);
  Terms terms{row.account, row.population, row.name,      accountant.value_or(Accountant::basic),
              row.order,   row.epsilon,    row.delta,     asked_.second,
              row.cap,     row.least,      row.per_minute};
  return known_[asked_] = {row.found && accountant, row.active,   row.granted,
                           row.has_blocks,          row.relation, row.adjacency,
                           std::move(terms)};
}

}  // namespace dpmix::pg
