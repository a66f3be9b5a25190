#include "pg/release/stored.hpp"

#include "core/release/kinds.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/named.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/acl.h"
}

namespace dpmix::pg {
namespace {

constexpr int kNameCharacters = 200;

// The row stands before the model does: its unique index settles who gets the name.
Statement reserve = {
    "INSERT INTO dpmix.release (name, table_id, kind, maker, charge_id, method, epsilon, delta, "
    "    features, lower, upper, label, labels, source, weights, means, covariances, row_counts) "
    "VALUES ($1, $2, $12, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $13, '{}', '{}', '{}', '{}') "
    "ON CONFLICT (name, maker) DO NOTHING"};
Statement shown = {DPMIX_NAMED("visible_release", "maker") DPMIX_NAMED_ORDER};

// An oid without its name is another table's, as after a restore: it gives nobody an owner's
// rights.
Statement find = {
    "SELECT coalesce(c.oid, 0), o.oid, r.features, r.label, r.labels, r.lower, r.upper, "
    "       r.weights, r.row_counts, r.means, r.covariances, "
    "       r.feature_types::oid[], r.kind, r.model, r.texts "
    "FROM dpmix.release r JOIN dpmix.protected_table p ON p.id = r.table_id "
    "LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) "
    "  ON c.oid = p.relation AND c.relname = p.table_name AND n.nspname = p.schema_name "
    "LEFT JOIN dpmix_internal.bound_role o ON o.number = r.maker "
    "WHERE r.id = $1"};

Statement delete_release = {"DELETE FROM dpmix.release WHERE id = $1"};

FoundRelease find_release(const char* name) {
  FoundRelease found = {};
  found.name = name;
  found.id = find_named(shown, "release", name);
  if (found.id == 0) return found;
  as_catalog_owner([&] {
    if (read_rows(find, {found.id}) == 0) return;
    const ResultRow row;
    int count;
    found.kind = row.text(13);
    found.feature = row.texts(3, &found.features);
    found.label = row.text(4);
    found.labels = row.texts(5, &found.label_count);
    found.lower = row.float8s(6, &count);
    found.upper = row.float8s(7, &count);
    found.weights = row.float8s(8, &found.components);
    found.rows = row.float8s(9, &count);
    found.means = row.float8s(10, &count);
    found.covariances = row.float8s(11, &count);
    found.types = row.oids(12, &count);
    found.model = row.float8s(14, &found.model_size);
    found.texts = row.texts(15, &found.text_count);
    if (found.types == NULL) elog(ERROR, "release \"%s\" is not stored yet", name);
    found.relation = row.oid(1);
    found.maker = row.oid(2);
  });
  return found;
}

// Owns the release or its table. Superusers have the privileges of every role.
bool owns(const FoundRelease* found) {
  const Oid user = GetUserId();
  return superuser_arg(user) || owns_relation(found->relation) ||
         (OidIsValid(found->maker) && has_privs_of_role(user, found->maker));
}

}  // namespace

const char* release_name_argument(FunctionCallInfo fcinfo, int n) {
  const char* name = text_argument(fcinfo, n);
  if (name[0] == '\0' || pg_mbstrlen(name) > kNameCharacters) {
    refuse_argument("invalid name of a release",
                    psprintf("It has %d characters; the valid range is 1 to %d.", pg_mbstrlen(name),
                             kNameCharacters),
                    "Choose a short name.");
  }
  return name;
}

const char* release_argument(FunctionCallInfo fcinfo, int n) {
  require_argument(fcinfo, n);
  return text_argument(fcinfo, n);
}

void reserve_release(const Terms& terms) {
  const ModelColumns* columns = terms.columns;
  const Oid user = GetUserId();
  bool taken = false;
  as_catalog_owner([&] {
    taken = write_rows(
                reserve,
                {terms.name, terms.table->id, role_number(user), terms.method, terms.epsilon,
                 terms.delta, name_array(columns->name, columns->features),
                 float8_array(columns->lower, columns->features),
                 float8_array(columns->upper, columns->features), name_value(columns->label),
                 text_array(columns->category, columns->classes), terms.kind, terms.source}) == 0;
  });
  if (taken) {
    refuse_argument(psprintf("release \"%s\" exists already", terms.name),
                    "Each role names its releases apart.",
                    "Choose another name, or drop it with dpmix.drop_release().");
  }
}

// The same for a name that nobody took and for a release that is not shown.
FoundRelease shown_release(const char* name) {
  const FoundRelease found = find_release(name);
  if (found.kind == NULL) {
    refuse(ErrorCode::not_protected,
           psprintf("release \"%s\" does not exist, or you have no access to it", name),
           "It is for the role that made it, the table's owner and roles with access to the table.",
           "dpmix.releases shows those that you may use. The table's owner gives access with "
           "dpmix.grant_access().");
  }
  return found;
}

void refuse_kind(const FoundRelease& found, const char* kinds) {
  refuse_argument(psprintf("release \"%s\" is of another kind", found.name),
                  psprintf("It is of kind %s; the function is for kind %s.", found.kind, kinds),
                  release_kind_of(found.kind)->use.data());
}

FoundRelease usable_release(const char* name, const char* kind) {
  const FoundRelease found = shown_release(name);
  if (strcmp(found.kind, kind) != 0) refuse_kind(found, kind);
  return found;
}

void drop_release(const char* name) {
  const FoundRelease found = shown_release(name);
  if (!owns(&found)) {
    refuse(ErrorCode::not_protected, psprintf("release \"%s\" is not yours", name),
           "A release belongs to the role that made it and to the table's owner.",
           "Ask one of them to drop it.");
  }
  as_catalog_owner([&] { (void)write_rows(delete_release, {found.id}); });
}

}  // namespace dpmix::pg
