#include "pg/scan/table_alone.hpp"

#include "pg/border/compat.hpp"
#include "pg/process/shipped_tables.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

struct Columns {  // those of one table that a query reads
  Index varno;
  Bitmapset* numbers;
};

bool collect(Node* node, void* arg) {
  Columns* columns = (Columns*)arg;
  if (node == NULL) return false;
  if (IsA(node, Var)) {
    const Var* var = (const Var*)node;
    if ((Index)var->varno == columns->varno && var->varlevelsup == 0) {
      columns->numbers = bms_add_member(columns->numbers, var->varattno);
    }
    return false;
  }
  return walk_expression(node, collect, arg);
}

Bitmapset* columns_read(Query* query, Index varno) {
  Columns columns = {varno, NULL};
  (void)collect((Node*)query->targetList, &columns);
  (void)collect((Node*)query->jointree, &columns);
  return columns.numbers;
}

struct Renumbering {
  Index varno;
  const Bitmapset* numbers;
};

Node* renumber(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (!IsA(node, Var)) return mutate_expression(node, renumber, arg);
  const Renumbering* to = (const Renumbering*)arg;
  Var* var = (Var*)copyObjectImpl(node);
  if ((Index)var->varno == to->varno && var->varlevelsup == 0) {
    var->varattno = (AttrNumber)(bms_member_index((Bitmapset*)to->numbers, var->varattno) + 1);
    var->varattnosyn = var->varattno;
  }
  return (Node*)var;
}

// The column as it is, and what of it lies elsewhere with it.
Expr* whole(Var* column) {
  if (get_typlen(column->vartype) != -1) return (Expr*)column;
  const Oid types[] = {ANYELEMENTOID};
  FuncExpr* call =
      makeFuncExpr(dpmix_function("whole", lengthof(types), types), column->vartype,
                   list_make1(column), column->varcollid, InvalidOid, COERCE_EXPLICIT_CALL);
  return (Expr*)call;
}

Query* table_alone(Query* query, RangeTblEntry* table, const Bitmapset* numbers) {
  Query* alone = makeNode(Query);
  alone->commandType = CMD_SELECT;
  alone->canSetTag = true;
  RangeTblEntry* entry = (RangeTblEntry*)copyObjectImpl(table);
  alone->rtable = list_make1(entry);
  move_permissions(query, table, alone, entry);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  alone->jointree = makeFromExpr(list_make1(reference), NULL);
  int number = -1;
  while ((number = bms_next_member(numbers, number)) >= 0) {
    Oid type, collation;
    int32 typmod;
    get_atttypetypmodcoll(entry->relid, (AttrNumber)number, &type, &typmod, &collation);
    add_column(alone, whole(makeVar(1, (AttrNumber)number, type, typmod, collation, 0)));
  }
  // What keeps the planner from making one query of the two.
  alone->limitOffset = (Node*)constant(INT8OID, InvalidOid, Int64GetDatum(0));
  return alone;
}

// A join's columns with those of this table numbered anew; those that nothing reads are gone.
List* renumber_aliases(List* aliases, const Renumbering* to) {
  List* renumbered = NIL;
  ListCell* cell;
  foreach (cell, aliases) {
    Node* alias = (Node*)lfirst(cell);
    const Var* var = alias != NULL && IsA(alias, Var) ? (const Var*)alias : NULL;
    const bool gone =
        var != NULL && (Index)var->varno == to->varno && !bms_is_member(var->varattno, to->numbers);
    renumbered = lappend(renumbered, gone ? NULL : renumber(alias, (void*)to));
  }
  return renumbered;
}

}  // namespace

Query* take_table_out(Query* query, Index varno) {
  RangeTblEntry* table = rt_fetch(varno, query->rtable);
  Bitmapset* numbers = columns_read(query, varno);
  Query* alone = table_alone(query, table, numbers);
  Renumbering to = {varno, numbers};
  query->targetList = (List*)renumber((Node*)query->targetList, &to);
  query->jointree = (FromExpr*)renumber((Node*)query->jointree, &to);
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    entry->joinaliasvars = renumber_aliases(entry->joinaliasvars, &to);
  }
  return alone;
}

// Whether some values lie elsewhere, by the size of what lies there, which is public. It holds for
// rows seen by an older snapshot, too: what it sees was written before, and nothing of it is gone.
bool has_values_elsewhere(Oid relation, bool with_children) {
  if (shipped_table(relation) != NULL) return false;  // they came as wholes
  List* all = with_children ? find_all_inheritors(relation, AccessShareLock, NULL)
                            : list_make1_oid(relation);
  BlockNumber pages = 0;
  ListCell* cell;
  foreach (cell, all) {
    Relation table = table_open(lfirst_oid(cell), AccessShareLock);
    const Oid elsewhere = table->rd_rel->reltoastrelid;
    if (OidIsValid(elsewhere)) {
      Relation values = table_open(elsewhere, AccessShareLock);
      pages += RelationGetNumberOfBlocks(values);
      table_close(values, NoLock);
    }
    table_close(table, NoLock);
  }
  return pages > 0;
}

bool reads_values_elsewhere(Query* query, Index varno) {
  const RangeTblEntry* table = rt_fetch(varno, query->rtable);
  if (!has_values_elsewhere(table->relid, table->inh)) return false;
  const Bitmapset* numbers = columns_read(query, varno);
  int number = -1;
  while ((number = bms_next_member((Bitmapset*)numbers, number)) >= 0) {
    if (get_typlen(get_atttype(table->relid, (AttrNumber)number)) == -1) return true;
  }
  return false;
}

}  // namespace dpmix::pg
