#include "pg/query/read/facades.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/attmap.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

// Locked, as what is looked at is its body.
const Facade* readable_facade(Oid relation) {
  if (!have_facades() || get_rel_relkind(relation) != RELKIND_VIEW) return NULL;
  if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK) return NULL;
  LockRelationOid(relation, AccessShareLock);
  return facade_of_view(relation);
}

struct Columns {  // those of a facade in a query
  const Facade* facade;
  int varno;
  Index depth;  // how many queries are between it and what is looked at
  const AttrMap* map;
};

bool check_columns(Node* node, void* arg) {
  if (node == NULL) return false;
  Columns* columns = (Columns*)arg;
  if (IsA(node, Query)) {
    columns->depth++;
    (void)walk_query((Query*)node, check_columns, arg);
    columns->depth--;
    return false;
  }
  if (!IsA(node, Var)) return walk_expression(node, check_columns, arg);
  const Var* var = (const Var*)node;
  if (var->varno != columns->varno || var->varlevelsup != columns->depth) return false;
  const char* name = qualified_name(columns->facade->view);
  if (var->varattno <= 0) {
    refuse_construct(psprintf("a whole row of %s is", name), "Name its columns.");
  }
  if (columns->map->attnums[var->varattno - 1] == 0) {
    refuse_construct(
        psprintf("column \"%s\" of %s, which what it stands for does not have any more, is",
                 get_attname(columns->facade->view, var->varattno, false), name),
        "The owner may make the facade again: dpmix.expose(..., replace => true).");
  }
  return false;
}

int columns_in(Oid relation) {
  const HeapTuple row = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(row)) elog(ERROR, "relation %u is gone", relation);
  const int columns = ((Form_pg_class)GETSTRUCT(row))->relnatts;
  ReleaseSysCache(row);
  return columns;
}

Alias* columns_of(Oid relation, const char* name) {
  List* columns = NIL;
  const int count = columns_in(relation);
  for (AttrNumber column = 1; column <= count; column++) {
    const char* known = get_attname(relation, column, true);
    columns = lappend(columns, makeString(pstrdup(known != NULL ? known : "")));
  }
  return makeAlias(name, columns);
}

Bitmapset* mapped(const Bitmapset* columns, const AttrMap* map) {
  Bitmapset* made = NULL;
  for (int bit = -1; (bit = bms_next_member(columns, bit)) >= 0;) {
    const int column = bit + FirstLowInvalidHeapAttributeNumber;
    if (column <= 0 || column > map->maplen || map->attnums[column - 1] == 0) continue;
    made = bms_add_member(made, map->attnums[column - 1] - FirstLowInvalidHeapAttributeNumber);
  }
  return made;
}

void become_table(Query* query, RangeTblEntry* entry, const Facade* facade, const AttrMap* map) {
  stand_for_relation(query, entry, facade->relation);
  Bitmapset** selected = selected_columns(query, entry);
  *selected = mapped(*selected, map);
  entry->relkind = get_rel_relkind(facade->relation);
  if (entry->alias != NULL) entry->alias->colnames = NIL;
  entry->eref = columns_of(facade->relation, entry->eref->aliasname);
}

bool read_tables(Query* query) {
  bool any = false;
  for (int varno = 1; varno <= list_length(query->rtable); varno++) {
    RangeTblEntry* entry = rt_fetch(varno, query->rtable);
    if (entry->rtekind != RTE_RELATION || entry->relkind != RELKIND_VIEW) continue;
    const Facade* facade = readable_facade(entry->relid);
    if (facade == NULL) continue;
    AttrMap* map = make_attrmap(columns_in(facade->view));
    for (int i = 0; i < map->maplen; i++) {
      map->attnums[i] = table_column(facade, (AttrNumber)(i + 1));
    }
    Columns columns = {facade, varno, 0, map};
    (void)walk_query(query, check_columns, &columns);
    bool whole_row;
    *query =
        *(const Query*)map_variable_attnos((Node*)query, varno, 0, map, InvalidOid, &whole_row);
    become_table(query, rt_fetch(varno, query->rtable), facade, map);
    any = any || facade->table_id == 0;
  }
  return any;
}

bool read_below(Node* node, void* views) {
  if (node == NULL) return false;
  if (!IsA(node, Query)) return walk_expression(node, read_below, views);
  if (read_tables((Query*)node)) *(bool*)views = true;
  return walk_query((Query*)node, read_below, views);
}

}  // namespace

Oid table_of_facade(Oid relation) {
  const Facade* facade = readable_facade(relation);
  return facade != NULL ? facade->relation : relation;
}

bool read_tables_of_facades(Query* query) {
  bool views = false;
  if (have_facades()) (void)read_below((Node*)query, &views);
  return views;
}

}  // namespace dpmix::pg
