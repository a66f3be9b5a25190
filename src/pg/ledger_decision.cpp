#include "pg/ledger_decision.hpp"

#include "pg/guard.hpp"
#include "pg/ledger_stamp.hpp"
#include "pg/owned.hpp"
#include "pg/statement.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement sums = {
    "SELECT table_id, coalesce(granted_to, '')::text, sum(epsilon)::text, sum(delta)::text, "
    "       sum(cost)::text, sum(cost_delta)::text "
    "FROM dpmix.charge GROUP BY 1, 2",
    0,
    {},
    NULL};

Statement committed_terms = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), p.active, p.relation, p.adjacency, "
    "       p.accountant, coalesce(p.renyi_order, 0), b.epsilon::text, b.delta::text, "
    "       a.role IS NOT NULL, coalesce(a.epsilon::text, '') "
    "FROM dpmix.protected_table p "
    "JOIN LATERAL (SELECT c.epsilon, c.delta FROM dpmix.budget_change c WHERE c.table_id = p.id "
    "              ORDER BY c.id DESC LIMIT 1) b ON true "
    "LEFT JOIN dpmix.access a ON a.table_id = p.id AND a.role = $2 "
    "WHERE p.id = $1",
    2,
    {INT8OID, NAMEOID},
    NULL};

Statement insert_charge = {
    "INSERT INTO dpmix.charge (table_id, relation, role, granted_to, at, kind, mechanism, epsilon, "
    "  delta, cost, cost_delta, parameters, release) "
    "VALUES ($1, $2, $3, $4, clock_timestamp(), $5, $6, $7::numeric, $8::numeric, $9::numeric, "
    "  $10::numeric, $11::jsonb, $12) RETURNING id",
    12,
    {INT8OID, TEXTOID, NAMEOID, NAMEOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID,
     TEXTOID, TEXTOID},
    NULL};

ChargeReply reply_of(const Error& error) {
  ChargeReply reply = {};
  reply.code = sqlstate(error.code);
  strlcpy(reply.message, error.message.c_str(), sizeof reply.message);
  strlcpy(reply.detail, error.detail.c_str(), sizeof reply.detail);
  strlcpy(reply.hint, error.hint.c_str(), sizeof reply.hint);
  return reply;
}

[[noreturn]] void refuse(std::string message, std::string detail, std::string hint) {
  throw Error(ErrorCode::ledger_unavailable, std::move(message), std::move(detail),
              std::move(hint));
}

[[noreturn]] void refuse_uncommitted() {
  refuse("the protection of this table is not committed",
         "The ledger worker sees committed declarations only.",
         "COMMIT the transaction with protect() or unprotect() first.");
}

Oid charge_table() {
  Oid catalog = get_namespace_oid("dpmix", true);
  return OidIsValid(catalog) ? get_relname_relid("charge", catalog) : InvalidOid;
}

}  // namespace

void LedgerDecisions::begin() {
  Oid table = InvalidOid;
  postgres([&] {
    // Locked before it is believed: the extension may be dropped and made anew at any time.
    for (Oid locked = InvalidOid; (table = charge_table()) != locked && OidIsValid(table);) {
      LockRelationOid(locked = table, RowExclusiveLock);
    }
  });
  if (table == charge_table_) return;
  book_.clear();
  stamp_ = Stamp::unread;
  load_book();
  charge_table_ = table;
}

void LedgerDecisions::load_book() {
  uint64 count = 0;
  postgres([&] { count = read_rows(sums, NULL); });
  for (uint64 i = 0; i < count; i++) {
    long long table = 0;
    const char* text[5] = {};
    postgres([&] {
      bool null;
      table = DatumGetInt64(result_datum(i, 1, &null));
      for (int c = 0; c < 5; c++) text[c] = result_text(i, c + 2);
    });
    book_.load(table, text[0],
               Spending{Decimal::parse(text[1]), Decimal::parse(text[2]), Decimal::parse(text[3]),
                        Decimal::parse(text[4])});
  }
}

ChargeReply LedgerDecisions::decide(const ChargeOrder& order) {
  try {
    const Terms terms = require_terms(order);
    require_stamp(order);
    const Spending cost = book_.charge(order.table_id, terms, order.epsilon, order.delta,
                                       order.has_own ? &order.own : nullptr);
    ChargeReply reply = {};
    reply.charge_id = append(order, terms, cost);
    return reply;
  } catch (const Error& error) {
    return reply_of(error);
  }
}

void LedgerDecisions::keep() {
  book_.keep_draft();
  if (stamp_ == Stamp::written) stamp_ = Stamp::ours;
}

void LedgerDecisions::drop() {
  book_.drop_draft();
  if (stamp_ == Stamp::written) stamp_ = Stamp::absent;
}

Terms LedgerDecisions::require_terms(const ChargeOrder& order) {
  bool locked = false, found = false, active = false, granted = false;
  Oid relation = InvalidOid;
  double renyi_order = 0;
  const char *name = "", *adjacency = "", *accountant = "", *epsilon = "", *delta = "", *cap = "";
  postgres([&] {
    // Held until the commit: adjacency and accountant cannot change under a charge.
    locked = lock_protection(order.table_id, ShareLock, false);
    Datum values[] = {Int64GetDatum(order.table_id), NameGetDatum(&order.granted_to)};
    if (!locked || read_rows(committed_terms, values) == 0) return;
    bool null;
    found = true;
    name = result_text(0, 1);
    active = DatumGetBool(result_datum(0, 2, &null));
    relation = DatumGetObjectId(result_datum(0, 3, &null));
    adjacency = result_text(0, 4);
    accountant = result_text(0, 5);
    renyi_order = DatumGetFloat8(result_datum(0, 6, &null));
    epsilon = result_text(0, 7);
    delta = result_text(0, 8);
    granted = DatumGetBool(result_datum(0, 9, &null));
    cap = result_text(0, 10);
  });
  const bool as_asked = found && active && relation == order.relation &&
                        adjacency == dpmix::name(order.adjacency) &&
                        accountant == dpmix::name(order.accountant) && renyi_order == order.order;
  if (!as_asked) refuse_uncommitted();
  const std::string granted_to = NameStr(order.granted_to);
  if (!granted_to.empty() && !granted) {
    throw Error(ErrorCode::not_protected, "access to " + std::string(name) + " was revoked",
                "The grant of role \"" + granted_to + "\" is gone.",
                "Its owner gives access with dpmix.grant_access().");
  }
  return Terms{name, order.accountant, renyi_order, epsilon, delta, granted_to, cap};
}

void LedgerDecisions::require_stamp(const ChargeOrder& order) {
  if (stamp_ == Stamp::ours || stamp_ == Stamp::written) return;
  bool same = false, stamped = false;
  postgres([&] {
    LedgerStamp here = current_stamp(), recorded = {};
    stamped = read_stamp(&recorded);
    same = stamped && recorded == here;
    if (!stamped) write_stamp(here, NameStr(order.role), "first request of a charge");
  });
  if (stamped && !same) {
    refuse("the ledger was made in another place",
           "This database is a restored, copied or promoted one: its newest stamp differs.",
           "If the other copy charges no more, its owner runs dpmix.adopt_ledger(reason).");
  }
  stamp_ = stamped ? Stamp::ours : Stamp::written;
}

int64 LedgerDecisions::append(const ChargeOrder& order, const Terms& terms, const Spending& cost) {
  const std::string decimals[] = {cost.epsilon.str(), cost.delta.str(), cost.amount.str(),
                                  cost.added_delta.str()};
  const char* decimal[] = {decimals[0].c_str(), decimals[1].c_str(), decimals[2].c_str(),
                           decimals[3].c_str()};
  const char* name = terms.name.c_str();
  int64 id = 0;
  postgres([&] {
    bool granted = NameStr(order.granted_to)[0] != '\0';
    bool released = order.release[0] != '\0';
    Datum values[] = {Int64GetDatum(order.table_id),
                      CStringGetTextDatum(name),
                      NameGetDatum(&order.role),
                      NameGetDatum(&order.granted_to),
                      CStringGetTextDatum(order.kind),
                      CStringGetTextDatum(order.mechanism),
                      CStringGetTextDatum(decimal[0]),
                      CStringGetTextDatum(decimal[1]),
                      CStringGetTextDatum(decimal[2]),
                      CStringGetTextDatum(decimal[3]),
                      CStringGetTextDatum(order.parameters),
                      CStringGetTextDatum(order.release)};
    const char nulls[] = {' ', ' ', ' ', granted ? ' ' : 'n', ' ', ' ', ' ', ' ',
                          ' ', ' ', ' ', released ? ' ' : 'n'};
    write_rows(insert_charge, values, nulls);
    bool null;
    id = DatumGetInt64(result_datum(0, 1, &null));
  });
  return id;
}

}  // namespace dpmix::pg
