#include "pg/ledger/terms.hpp"

#include <optional>

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/role_number.hpp"

namespace dpmix::pg {
namespace {

Statement committed_terms = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), p.active, p.relation, p.adjacency, "
    "       p.accountant, coalesce(p.renyi_order, 0), b.epsilon::text, b.delta::text, "
    "       coalesce(a.role, 0), coalesce(a.epsilon::text, ''), "
    "       coalesce(a.min_epsilon::text, ''), coalesce(a.max_charges_per_minute, 0), "
    "       coalesce(p.account, p.id), "
    "       coalesce(q.name::text, ''), "
    "       q.width IS NOT NULL OR EXISTS (SELECT FROM dpmix.block_column k WHERE k.table_id = p.id), "
    "       coalesce((SELECT r.rolname::text FROM pg_roles r WHERE r.oid = $2), ''), "
    "       coalesce(a.share::text, ''), "
    "       EXISTS (SELECT FROM dpmix.block_column k WHERE k.table_id = p.id), "
    "       q.width IS NOT NULL AND p.unit_through IS NULL "
    "FROM dpmix.protected_table p "
    "LEFT JOIN dpmix.population q ON q.id = p.account "
    "JOIN LATERAL (SELECT c.epsilon, c.delta FROM dpmix.budget_change c "
    "              WHERE c.table_id = coalesce(p.account, p.id) ORDER BY c.id DESC LIMIT 1) b ON "
    "true "
    "LEFT JOIN LATERAL (SELECT * FROM dpmix.access g WHERE g.table_id = p.id "
    "                   AND g.role = " DPMIX_NUMBERS_OF("$2") " ORDER BY g.role LIMIT 1) a ON true "
    "WHERE p.id = $1"};

struct TermsRow {  // texts in the memory context of the batch
  bool found = false, active, has_blocks, has_column, in_population;
  Oid relation;
  int64 granted_number;  // 0: there is no such grant
  double order;
  const char *name = "", *adjacency = "", *accountant = "", *epsilon = "", *delta = "", *cap = "",
             *share = "", *least = "", *population = "", *granted_to = "";
  int32 per_minute;
  int64 account;
};

TermsRow read_terms(int64 table, Oid granted_to) {
  TermsRow found = {};
  as_catalog_owner([&] {
    if (read_rows(committed_terms, {table, granted_to}) == 0) return;
    const ResultRow row;
    found = {.found = true,
             .active = row.truth(2),
             .has_blocks = row.truth(15),
             .has_column = row.truth(18),
             .in_population = row.truth(19),
             .relation = row.oid(3),
             .granted_number = row.int8(9),
             .order = row.float8(6),
             .name = row.text(1),
             .adjacency = row.text(4),
             .accountant = row.text(5),
             .epsilon = row.text(7),
             .delta = row.text(8),
             .cap = row.text(10),
             .share = row.text(17),
             .least = row.text(11),
             .population = row.text(14),
             .granted_to = row.text(16),
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

namespace {

// What a release about rows of this kind names at least.
bool names_blocks_of(const ChargeOrder& order, bool column, bool always) {
  const bool names_always = order.block_count > 0 && order.blocks[0] == kAlways;
  const bool names_others = order.block_count > names_always || order.reads_no_block;
  return (!column || names_others) && (!always || names_always);
}

}  // namespace

const CommittedTerms& LedgerTerms::require(const ChargeOrder& order, const OrderedTable& table) {
  const Committed& now = committed(table.id, order.granted_to);
  const bool as_asked = now.found && now.active && now.relation == table.relation &&
                        now.adjacency == dpmix::name(order.adjacency) &&
                        now.terms.accountant == order.accountant &&
                        now.terms.order == order.order &&
                        (order.sight != 0 || (now.has_blocks == (order.block_count > 0) &&
                                              names_blocks_of(order, now.has_column, now.always)));
  if (!as_asked) refuse_uncommitted();
  const CommittedTerms& terms = now.terms;
  if (terms.role != 0 && terms.granted_number == 0) {
    throw Error(ErrorCode::not_protected, "access to " + terms.name + " was revoked",
                "The grant of role \"" + terms.granted_to + "\" is gone.",
                "Its owner gives access with dpmix.grant_access().");
  }
  return terms;
}

bool LedgerTerms::has_blocks(const ChargeOrder& order, const OrderedTable& table) {
  return committed(table.id, order.granted_to).has_blocks;
}

void LedgerTerms::forget() {
  known_.clear();
}

const LedgerTerms::Committed& LedgerTerms::committed(int64 table, Oid granted_to) {
  uint64 epoch = 0;
  postgres([&] { epoch = catalog_epoch(); });
  if (epoch == 0 || epoch != epoch_) forget();
  epoch_ = epoch;
  const std::pair asked(table, granted_to);
  const auto known = known_.find(asked);
  if (known != known_.end()) return known->second;

  TermsRow row;
  // A change that is announced meanwhile is another epoch: the next request reads again.
  postgres([&] { row = read_terms(table, granted_to); });
  // Nothing of the order goes in: what it says may never have been committed.
  const std::optional<Accountant> accountant = accountant_of(row.accountant);
  CommittedTerms terms{.account = row.account,
                       .population = row.population,
                       .name = row.name,
                       .accountant = accountant.value_or(Accountant::basic),
                       .order = row.order,
                       .epsilon = row.epsilon,
                       .delta = row.delta,
                       .granted_to = row.granted_to,
                       .role = granted_to,
                       .granted_number = row.granted_number,
                       .cap = row.cap,
                       .share = row.share,
                       .least = row.least,
                       .per_minute = row.per_minute};
  return known_[asked] = {row.found && accountant,
                          row.active,
                          row.has_blocks,
                          row.has_column,
                          row.in_population && !row.has_column,
                          row.relation,
                          row.adjacency,
                          std::move(terms)};
}

}  // namespace dpmix::pg
