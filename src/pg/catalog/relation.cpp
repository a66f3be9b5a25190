#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {

Oid relation_owner(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

Oid schema_owner(Oid schema) {
  HeapTuple tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid owner = ((Form_pg_namespace)GETSTRUCT(tuple))->nspowner;
  ReleaseSysCache(tuple);
  return owner;
}

bool owns_relation(Oid relation) {
  const Oid owner = relation_owner(relation);
  return OidIsValid(owner) && has_privs_of_role(GetUserId(), owner);
}

const char* qualified_name(Oid relation) {
  char* name = get_rel_name(relation);
  if (name == NULL) return psprintf("%u", relation);
  return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

bool is_virtual_column(Oid relation, int16 column) {
  const char generated = get_attgenerated(relation, column);
  return generated != '\0' && generated != ATTRIBUTE_GENERATED_STORED;
}

}  // namespace dpmix::pg
