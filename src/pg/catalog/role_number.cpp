#include "pg/catalog/role_number.hpp"

#include "pg/border/statement.hpp"

extern "C" {
#include "access/xlog.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(dpmix_cluster);
}

namespace dpmix::pg {
namespace {

Statement find = {
    "SELECT min(id), bool_or(role_name = $2) FROM dpmix.role_number "
    "WHERE role_oid = $1 AND cluster = dpmix_internal.cluster()"};

// The table has no unique index: who asks for a number never waits for another transaction. Two
// numbers of one role do no harm: it is found by its oid.
Statement insert = {
    "INSERT INTO dpmix.role_number (role_oid, role_name, cluster) "
    "VALUES ($1, $2, dpmix_internal.cluster()) RETURNING id"};

// A role is known by its last name; of a name that several roles had the last one has it.
Statement adopt = {
    "WITH known AS ("
    "  SELECT DISTINCT ON (cluster, role_oid) cluster, role_oid, role_name, id "
    "  FROM dpmix.role_number WHERE cluster <> dpmix_internal.cluster() AND role_oid <> 0 "
    "  ORDER BY cluster, role_oid, id DESC), "
    "heir AS ("
    "  SELECT DISTINCT ON (k.role_name) k.cluster, k.role_oid, k.role_name, r.oid "
    "  FROM known k LEFT JOIN pg_roles r ON r.rolname = k.role_name "
    "  ORDER BY k.role_name, k.id DESC), "
    "bound AS ("
    "  UPDATE dpmix.role_number n SET cluster = dpmix_internal.cluster(), "
    "    role_oid = coalesce((SELECT h.oid FROM heir h WHERE h.cluster = n.cluster "
    "                         AND h.role_oid = n.role_oid), 0), "
    "    role_name = coalesce((SELECT h.role_name FROM heir h WHERE h.cluster = n.cluster "
    "                          AND h.role_oid = n.role_oid), n.role_name) "
    "  WHERE n.cluster <> dpmix_internal.cluster() RETURNING n.id) "
    "SELECT concat_ws('; ', "
    "  'bound: ' || string_agg(quote_ident(role_name), ', ' ORDER BY role_name) "
    "    FILTER (WHERE oid IS NOT NULL), "
    "  'not here: ' || string_agg(quote_ident(role_name), ', ' ORDER BY role_name) "
    "    FILTER (WHERE oid IS NULL)) FROM heir "
    "WHERE (SELECT count(*) FROM bound) > 0 HAVING count(*) > 0"};

}  // namespace

int64 role_number(Oid role) {
  return role_number(role, GetUserNameFromId(role, false));
}

int64 role_number(Oid role, const char* name) {
  (void)read_rows(find, {role, name_value(name)});
  const bool known = !ResultRow{}.is_null(1);
  const int64 number = known ? ResultRow{}.int8(1) : 0;
  if (known && ResultRow{}.truth(2)) return number;
  (void)write_rows(insert, {role, name_value(name)});
  return known ? number : ResultRow{}.int8(1);
}

const char* adopt_role_numbers() {
  return write_rows(adopt) > 0 ? ResultRow{}.text(1) : NULL;
}

}  // namespace dpmix::pg

Datum dpmix_cluster(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64((int64)GetSystemIdentifier());
}
