#include "pg/catalog/relation.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
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

bool keeps_out_nulls(Oid relation, int16 column) {
  Relation table = table_open(relation, NoLock);
  const bool certain =
      (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE || !table->rd_rel->relhassubclass) &&
      has_no_nulls(RelationGetDescr(table), column);
  table_close(table, NoLock);
  return certain;
}

}  // namespace dpmix::pg
