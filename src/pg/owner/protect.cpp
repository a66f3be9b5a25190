// protect, unprotect, set_budget: what a table's owner declares once, and its budget.
#include "core/accounting/filter.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/stamp.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/public_table.hpp"
#include "pg/catalog/readers.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_protect);
PG_FUNCTION_INFO_V1(dpmix_unprotect);
PG_FUNCTION_INFO_V1(dpmix_set_budget);
}

namespace dpmix::pg {
namespace {

// Identifier and name together: in a restored database the identifiers are those of other tables.
Statement relatives = {
    "WITH RECURSIVE up(relation) AS ("
    "  SELECT inhparent FROM pg_inherits WHERE inhrelid = $1 UNION "
    "  SELECT i.inhparent FROM pg_inherits i JOIN up ON i.inhrelid = up.relation), "
    "down(relation) AS ("
    "  SELECT inhrelid FROM pg_inherits WHERE inhparent = $1 UNION "
    "  SELECT i.inhrelid FROM pg_inherits i JOIN down ON i.inhparent = down.relation) "
    "SELECT p.relation, p.active FROM dpmix.protected_table p "
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name "
    "WHERE p.relation IN (SELECT relation FROM up UNION ALL SELECT relation FROM down) "
    "AND (p.active OR EXISTS (SELECT FROM dpmix.charge g WHERE g.table_id = p.id)) "
    "ORDER BY p.active DESC",
    1,
    {OIDOID},
    NULL};

Statement any_charge = {"SELECT FROM dpmix.charge WHERE table_id = $1 LIMIT 1", 1, {INT8OID}, NULL};

Statement insert_table = {
    "INSERT INTO dpmix.protected_table (relation, schema_name, table_name, adjacency, accountant, "
    "  renyi_order, privacy_unit, max_rows_per_unit, label) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
    9,
    {OIDOID, NAMEOID, NAMEOID, TEXTOID, TEXTOID, FLOAT8OID, NAMEOID, INT4OID, NAMEOID},
    NULL};

Statement resume_table = {
    "UPDATE dpmix.protected_table SET active = true, relation = $1, adjacency = $4, accountant = "
    "$5, "
    "  renyi_order = $6, privacy_unit = $7, max_rows_per_unit = $8, label = $9 "
    "WHERE schema_name = $2 AND table_name = $3 RETURNING id",
    9,
    {OIDOID, NAMEOID, NAMEOID, TEXTOID, TEXTOID, FLOAT8OID, NAMEOID, INT4OID, NAMEOID},
    NULL};

Statement deactivate_table = {
    "UPDATE dpmix.protected_table SET active = false WHERE id = $1", 1, {INT8OID}, NULL};

Statement insert_budget = {
    "INSERT INTO dpmix.budget_change (table_id, epsilon, delta, reason, role) "
    "VALUES ($1, $2::numeric, $3::numeric, $4, $5)",
    5,
    {INT8OID, TEXTOID, TEXTOID, TEXTOID, NAMEOID},
    NULL};

struct Protection {
  Oid relation;
  const char* name;
  double epsilon, delta;
  const char* adjacency;
  const char* accountant;
  double order;              // 0 unless `renyi`
  const char* privacy_unit;  // NULL: a row
  int max_rows_per_unit;
  const char* label;
  // What else the recording needs, made before it.
  const char* epsilon_printed;
  const char* delta_printed;
  const char* role;
  const char* readers;  // found: NULL when only the owner reads
};

bool same(const char* a, const char* b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

void refuse_relatives(const Protection* protection) {
  Datum relation = ObjectIdGetDatum(protection->relation);
  if (read_rows(relatives, &relation) == 0) return;
  bool null;
  Oid other = DatumGetObjectId(result_datum(0, 1, &null));
  bool active = DatumGetBool(result_datum(0, 2, &null));
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("%s shares rows with %s, which is %s already", protection->name,
                  qualified_name(other), active ? "protected" : "charged"),
           errdetail("One of them is an ancestor of the other; their budgets would not add up."),
           errhint("Protect only one table of an inheritance or partition tree, and always the "
                   "same one.")));
}

void refuse_public(const Protection* protection) {
  const char* other;
  const char* declared = public_and_protected(&other);
  if (declared == NULL) return;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("%s shares rows with %s, which is declared public", protection->name, declared),
           errdetail("What is public has no privacy to protect."),
           errhint("Take the declaration back first: SELECT dpmix.undeclare_public(%s).",
                   quote_literal_cstr(declared))));
}

// Charges were computed for one neighbour relation and one filter: they cannot be read otherwise.
void refuse_other_terms(const Protection* protection, const CatalogRow* row) {
  const char* differs = NULL;
  if (!same(protection->adjacency, row->adjacency)) differs = "adjacency";
  if (!same(protection->accountant, row->accountant)) differs = "accountant";
  if (!same(protection->privacy_unit, row->privacy_unit)) differs = "privacy_unit";
  if (protection->max_rows_per_unit != row->max_rows_per_unit) differs = "max_rows_per_unit";
  if (!same(protection->label, row->label)) differs = "label";
  if (differs == NULL) return;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("%s of %s cannot change any more", differs, protection->name),
           errdetail("The table was charged with adjacency => '%s', accountant => '%s', "
                     "privacy_unit => %s, max_rows_per_unit => %d, label => %s.",
                     row->adjacency, row->accountant,
                     row->privacy_unit ? quote_literal_cstr(row->privacy_unit) : "NULL",
                     row->max_rows_per_unit, row->label ? quote_literal_cstr(row->label) : "NULL"),
           errhint("Protect it with the same terms; earlier charges resume.")));
}

// PV005, or which statement records the table and with which order.
Statement* recording(Protection* protection) {
  const CatalogRow* row = find_catalog_row(protection->relation);
  if (row == NULL) return &insert_table;
  if (row->active) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("table %s is protected already", protection->name),
                    errdetail("Its budget is epsilon %s, delta %s.", row->epsilon, row->delta),
                    errhint("Change the budget with dpmix.set_budget().")));
  }
  lock_protection(row->id, AccessExclusiveLock, true);
  Datum id = Int64GetDatum(row->id);
  if (read_rows(any_charge, &id) > 0) {
    refuse_other_terms(protection, row);
    protection->order = row->order;
  }
  return &resume_table;
}

struct Budget {
  int64 id;
  const char* epsilon;
  const char* delta;
  const char* reason;
  const char* role;
};

void record_budget(void* arg) {
  const Budget* budget = (const Budget*)arg;
  NameData role;
  namestrcpy(&role, budget->role);
  Datum values[] = {Int64GetDatum(budget->id), CStringGetTextDatum(budget->epsilon),
                    CStringGetTextDatum(budget->delta), CStringGetTextDatum(budget->reason),
                    NameGetDatum(&role)};
  write_rows(insert_budget, values);
}

void record_protection(void* arg) {
  Protection* protection = (Protection*)arg;
  lock_trees(AccessExclusiveLock);
  refuse_relatives(protection);
  Statement* statement = recording(protection);

  NameData schema, table, unit, label;
  namestrcpy(&schema, get_namespace_name(get_rel_namespace(protection->relation)));
  namestrcpy(&table, get_rel_name(protection->relation));
  namestrcpy(&unit, protection->privacy_unit ? protection->privacy_unit : "");
  namestrcpy(&label, protection->label ? protection->label : "");
  Datum values[] = {ObjectIdGetDatum(protection->relation),
                    NameGetDatum(&schema),
                    NameGetDatum(&table),
                    CStringGetTextDatum(protection->adjacency),
                    CStringGetTextDatum(protection->accountant),
                    Float8GetDatum(protection->order),
                    NameGetDatum(&unit),
                    Int32GetDatum(protection->max_rows_per_unit),
                    NameGetDatum(&label)};
  const char nulls[] = {' ',
                        ' ',
                        ' ',
                        ' ',
                        ' ',
                        protection->order == 0 ? 'n' : ' ',
                        protection->privacy_unit ? ' ' : 'n',
                        ' ',
                        protection->label ? ' ' : 'n'};
  write_rows(*statement, values, nulls);
  bool null;
  int64 id = DatumGetInt64(result_datum(0, 1, &null));
  Budget budget = {id, protection->epsilon_printed, protection->delta_printed, "protect",
                   protection->role};
  record_budget(&budget);
  refuse_public(protection);
  // From here on a copy of the database has a budget to spend twice.
  (void)check_stamp(protection->role, "first protect()");
  protection->readers = readers_of(protection->relation);
}

void require_choice(const char* parameter, const char* value, bool known, const char* choices) {
  if (known) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                  errmsg("%s \"%s\" does not exist", parameter, value),
                  errdetail("Valid values of %s are %s.", parameter, choices),
                  errhint("Leave the argument out for the default.")));
}

void require_label(const Protection* protection) {
  bool wanted = strcmp(protection->adjacency, name(Adjacency::label).data()) == 0;
  if (wanted != (protection->label != NULL)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("a label belongs to adjacency 'label', and only to it"),
                    errdetail("adjacency is '%s', label is %s.", protection->adjacency,
                              protection->label ? quote_literal_cstr(protection->label) : "NULL"),
                    errhint("Under adjacency 'label' every column but the label is public.")));
  }
  if (wanted && get_attnum(protection->relation, protection->label) <= 0) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("%s has no column \"%s\"", protection->name, protection->label),
                    errdetail("The label is the one private column of the table."),
                    errhint("Name an existing column.")));
  }
}

// What such a table answers is proved for the label of one row.
[[noreturn]] void refuse_label_of_units(const Protection* protection) {
  ereport(
      ERROR,
      (errcode(DPMIX_SQLSTATE(invalid_parameter)),
       errmsg("adjacency label protects the label of one row, and a unit of %s may have several",
              protection->name),
       errdetail("privacy_unit is \"%s\", max_rows_per_unit is %d.", protection->privacy_unit,
                 protection->max_rows_per_unit),
       errhint("Leave privacy_unit out, name a NOT NULL column with a unique index, or choose "
               "another adjacency.")));
}

void warn_of_readers(const Protection* protection) {
  if (protection->readers == NULL) return;
  ereport(WARNING, (errcode(ERRCODE_WARNING),
                    errmsg("rows of %s can be read without dpmix", protection->name),
                    errdetail("SELECT on the table, a column or a partition is held by %s.",
                              protection->readers),
                    errhint("REVOKE SELECT from roles that should see noisy answers only.")));
}

void deactivate(void* arg) {
  int64 id = *(const int64*)arg;
  lock_protection(id, AccessExclusiveLock, true);
  Datum value = Int64GetDatum(id);
  write_rows(deactivate_table, &value);
}

char* text_argument(FunctionCallInfo fcinfo, int i, const char* otherwise) {
  return PG_ARGISNULL(i) ? pstrdup(otherwise) : text_to_cstring(PG_GETARG_TEXT_PP(i));
}

char* name_argument(FunctionCallInfo fcinfo, int i) {
  return PG_ARGISNULL(i) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(i)));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_protect(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 3);
  Protection protection = {};
  protection.relation = PG_GETARG_OID(0);
  protection.epsilon = PG_GETARG_FLOAT8(1);
  protection.delta = PG_GETARG_FLOAT8(2);
  protection.privacy_unit = name_argument(fcinfo, 3);
  protection.max_rows_per_unit = PG_ARGISNULL(4) ? 1 : PG_GETARG_INT32(4);
  protection.adjacency = text_argument(fcinfo, 5, "add_remove");
  protection.label = name_argument(fcinfo, 6);
  protection.accountant = text_argument(fcinfo, 7, "renyi");

  lock_owned(protection.relation, AccessExclusiveLock);
  protection.name = qualified_name(protection.relation);
  require_choice("adjacency", protection.adjacency,
                 dpmix::adjacency_of(protection.adjacency).has_value(),
                 "add_remove, replace and label");
  require_choice("accountant", protection.accountant,
                 dpmix::accountant_of(protection.accountant).has_value(), "basic, renyi and gdp");
  require_budget(protection.epsilon, protection.delta, protection.accountant);
  require_protectable(protection.relation);
  require_label(&protection);
  const bool samples_units = require_privacy_unit(protection.relation, protection.privacy_unit,
                                                  protection.max_rows_per_unit);
  if (samples_units && protection.label != NULL) refuse_label_of_units(&protection);

  if (strcmp(protection.accountant, "renyi") == 0) {
    protection.order =
        guard([&] { return dpmix::choose_order(protection.epsilon, protection.delta); });
  }
  protection.epsilon_printed = printed_decimal(protection.epsilon);
  protection.delta_printed = printed_decimal(protection.delta);
  protection.role = GetUserNameFromId(GetUserId(), false);
  as_catalog_owner(record_protection, &protection);
  warn_of_readers(&protection);
  PG_RETURN_VOID();
}

Datum dpmix_unprotect(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  int64 id = open_owned(PG_GETARG_OID(0), AccessExclusiveLock)->id;
  as_catalog_owner(deactivate, &id);
  PG_RETURN_VOID();
}

Datum dpmix_set_budget(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 4);
  Budget budget = {};
  const CatalogRow* row = open_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
  budget.id = row->id;
  require_budget(PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), row->accountant);
  budget.epsilon = printed_decimal(PG_GETARG_FLOAT8(1));
  budget.delta = printed_decimal(PG_GETARG_FLOAT8(2));
  budget.reason = require_reason(fcinfo, 3);
  budget.role = GetUserNameFromId(GetUserId(), false);
  as_catalog_owner(record_budget, &budget);
  PG_RETURN_VOID();
}
