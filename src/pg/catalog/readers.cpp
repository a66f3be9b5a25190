#include "pg/catalog/readers.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"

namespace dpmix::pg {
namespace {

#define DPMIX_SHOWS_ROWS "a.privilege_type IN ('SELECT', 'TRIGGER', 'REFERENCES')"
#define DPMIX_GRANTEE \
  "CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END"

// Taken from a table a privilege goes from its columns too.
Statement holders = {
    "WITH RECURSIVE tree(relation) AS ("
    "  SELECT $1 UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = relation), "
    "acl(relation, owner, list) AS ("
    "  SELECT oid, relowner, relacl FROM pg_class JOIN tree ON oid = relation UNION ALL "
    "  SELECT c.oid, relowner, attacl FROM pg_class c JOIN tree ON oid = relation "
    "  JOIN pg_attribute ON attrelid = oid WHERE NOT attisdropped), "
    "held AS (SELECT DISTINCT l.relation, a.privilege_type AS privilege, " DPMIX_GRANTEE
    " AS holder FROM acl l, aclexplode(l.list) a WHERE " DPMIX_SHOWS_ROWS
    " AND a.grantee <> l.owner) "
    "SELECT (SELECT string_agg(format('%s on the table, a column or a partition is held by %s.', "
    "          privilege, holders), ' ' ORDER BY privilege = 'SELECT' DESC, privilege) "
    "        FROM (SELECT privilege, string_agg(DISTINCT holder, ', ') AS holders "
    "              FROM held GROUP BY 1) h), "
    "       (SELECT string_agg(format('REVOKE %s ON %I.%I FROM %s;', privilege, n.nspname, "
    "          c.relname, holders), ' ' ORDER BY relation <> $1, relation) "
    "        FROM (SELECT relation, string_agg(DISTINCT privilege, ', ') AS privilege, "
    "                string_agg(DISTINCT holder, ', ') AS holders FROM held GROUP BY 1) h "
    "        JOIN pg_class c ON c.oid = relation JOIN pg_namespace n ON n.oid = c.relnamespace), "
    "       (SELECT string_agg(DISTINCT holder, ', ') FROM held WHERE privilege = 'SELECT')"};

Statement next_holders = {
    "WITH given AS ("
    "  SELECT d.defaclrole, n.nspname, string_agg(DISTINCT a.privilege_type, ', ') AS privilege, "
    "    string_agg(DISTINCT " DPMIX_GRANTEE
    ", ', ') AS holders "
    "  FROM pg_class c JOIN pg_default_acl d ON d.defaclrole = c.relowner "
    "    AND d.defaclobjtype = 'r' AND d.defaclnamespace IN (0, c.relnamespace) "
    "  LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace, aclexplode(d.defaclacl) a "
    "  WHERE c.oid = $1 AND a.grantee <> d.defaclrole AND " DPMIX_SHOWS_ROWS
    "  GROUP BY 1, 2) "
    "SELECT string_agg(format('%s on new tables of %I%s is given to %s.', privilege, "
    "         pg_get_userbyid(defaclrole), ' in schema ' || quote_ident(nspname), holders), ' ' "
    "         ORDER BY nspname NULLS FIRST), "
    "       string_agg(format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s REVOKE %s ON TABLES FROM "
    "%s;', "
    "         pg_get_userbyid(defaclrole), ' IN SCHEMA ' || quote_ident(nspname), privilege, "
    "holders), "
    "         ' ' ORDER BY nspname NULLS FIRST) FROM given"};

void read(Statement& statement, Oid relation, const char** what, const char** revoke) {
  if (read_rows(statement, {relation}) == 0 || ResultRow{}.is_null(1)) return;
  *what = ResultRow{}.text(1);
  *revoke = ResultRow{}.text(2);
}

}  // namespace

Readers readers_of(Oid relation) {
  Readers readers = {};
  read(holders, relation, &readers.now, &readers.revoke);
  if (readers.now != NULL && !ResultRow{}.is_null(3)) readers.selecting = ResultRow{}.text(3);
  read(next_holders, relation, &readers.next, &readers.revoke_default);
  return readers;
}

void warn_of_readers(const char* table, const Readers& readers) {
  if (readers.now != NULL) {
    ereport(WARNING,
            (errcode(ERRCODE_WARNING), errmsg("rows of %s can be read without dpmix", table),
             errdetail("%s", readers.now),
             errhint("From roles that should see noisy answers only: %s", readers.revoke)));
  }
  if (readers.next != NULL) {
    ereport(WARNING,
            (errcode(ERRCODE_WARNING),
             errmsg("a table that takes the place of %s will be read without dpmix", table),
             errdetail("%s", readers.next), errhint("%s", readers.revoke_default)));
  }
}

void require_no_readers(const char* table, const Readers& readers) {
  if (readers.now != NULL) {
    refuse_argument(psprintf("rows of %s can be read without dpmix, and strict is on", table),
                    readers.now, readers.revoke);
  }
  if (readers.next != NULL) {
    refuse_argument(psprintf("tables that take the place of %s will be read without dpmix, and "
                             "strict is on",
                             table),
                    readers.next, readers.revoke_default);
  }
}

}  // namespace dpmix::pg
