#include "pg/catalog/readers.hpp"

#include "pg/border/statement.hpp"

namespace dpmix::pg {
namespace {

Statement readers = {
    "WITH RECURSIVE tree(relation) AS ("
    "  SELECT $1 UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = relation), "
    "acl(owner, list) AS ("
    "  SELECT relowner, relacl FROM pg_class JOIN tree ON oid = relation UNION ALL "
    "  SELECT relowner, attacl FROM pg_class c JOIN tree ON oid = relation "
    "  JOIN pg_attribute ON attrelid = oid WHERE NOT attisdropped) "
    "SELECT string_agg(DISTINCT CASE WHEN grantee = 0 THEN 'PUBLIC' "
    "                           ELSE quote_ident(pg_get_userbyid(grantee)) END, ', ') "
    "FROM acl, aclexplode(list) WHERE privilege_type = 'SELECT' AND grantee <> owner"};

}  // namespace

const char* readers_of(Oid relation) {
  return read_rows(readers, {relation}) > 0 ? ResultRow{}.text(1) : NULL;
}

void warn_of_readers(const char* table, const char* readers) {
  if (readers == NULL) return;
  ereport(WARNING,
          (errcode(ERRCODE_WARNING), errmsg("rows of %s can be read without dpmix", table),
           errdetail("SELECT on the table, a column or a partition is held by %s.", readers),
           errhint("REVOKE SELECT from roles that should see noisy answers only.")));
}

}  // namespace dpmix::pg
