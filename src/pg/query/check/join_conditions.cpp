#include "pg/query/check/join_conditions.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/border/compat.hpp"
#include "pg/catalog/unique_key.hpp"

namespace dpmix::pg {
namespace {

void add_conditions(JoinConditions* join, const Node* condition, Bitmapset* holds) {
  if (condition == NULL) return;
  if (is_andclause(condition)) {
    ListCell* cell;
    foreach (cell, ((const BoolExpr*)condition)->args) {
      add_conditions(join, (const Node*)lfirst(cell), holds);
    }
  } else if (is_opclause(condition) && list_length(((const OpExpr*)condition)->args) == 2) {
    JoinCondition* added = (JoinCondition*)palloc(sizeof(JoinCondition));
    *added = {(const OpExpr*)condition, holds};
    join->conditions = lappend(join->conditions, added);
  }
}

// The tables of a part of FROM, its conditions noted.
Bitmapset* read_from(JoinConditions* join, const Node* node) {
  if (IsA(node, RangeTblRef)) return bms_make_singleton(((const RangeTblRef*)node)->rtindex);
  const JoinExpr* expr = (const JoinExpr*)node;
  Bitmapset* left = read_from(join, expr->larg);
  Bitmapset* right = read_from(join, expr->rarg);
  Bitmapset* both = bms_union(left, right);
  if (expr->jointype == JOIN_INNER) {
    add_conditions(join, expr->quals, both);
    return both;
  }
  add_conditions(join, expr->quals, right);
  join->missing = bms_add_members(join->missing, right);
  for (int table = -1; (table = bms_next_member(right, table)) >= 0;) {
    join->before[table] = bms_add_members(join->before[table], left);
  }
  return both;
}

bool find_tables(Node* node, void* found) {
  if (node == NULL) return false;
  if (IsA(node, Var)) {
    Bitmapset** tables = (Bitmapset**)found;
    *tables = bms_add_member(*tables, ((Var*)node)->varno);
  }
  return walk_expression(node, find_tables, found);
}

}  // namespace

JoinConditions join_conditions(const List* from, const Node* where, int entries) {
  JoinConditions join = {};
  join.before = (Bitmapset**)palloc0(sizeof(Bitmapset*) * (entries + 1));
  Bitmapset* all = NULL;
  ListCell* cell;
  foreach (cell, from) all = bms_add_members(all, read_from(&join, (const Node*)lfirst(cell)));
  add_conditions(&join, where, all);
  return join;
}

const Var* bare_column(const Node* node) {
  while (node != NULL && IsA(node, RelabelType)) {
    node = (const Node*)((const RelabelType*)node)->arg;
  }
  return node != NULL && IsA(node, Var) ? (const Var*)node : NULL;
}

bool is_column(const Node* node, Index varno, AttrNumber column) {
  const Var* var = bare_column(node);
  return var != NULL && (Index)var->varno == varno && var->varattno == column;
}

bool is_equality(const JoinCondition* condition, Oid family) {
  return get_op_opfamily_strategy(condition->clause->opno, family) == BTEqualStrategyNumber;
}

namespace {

// Whether a cast takes whole numbers to a type that holds each of them exactly: what is equal after
// it was before.
bool is_exact_cast(Oid function) {
  switch (function) {
    case F_INT4_INT2:
    case F_INT8_INT2:
    case F_INT8_INT4:
    case F_FLOAT8_INT2:
    case F_FLOAT8_INT4:
    case F_NUMERIC_INT2:
    case F_NUMERIC_INT4:
    case F_NUMERIC_INT8:
      return true;
    default:
      return false;
  }
}

// Whether a condition makes one side, if that is this column, equal to the other: in the sense of
// the index, or of a type to which it is cast exactly.
bool is_equality_of(const JoinCondition* condition, int side, Index varno, AttrNumber column,
                    Oid family) {
  const Node* node = (const Node*)list_nth(condition->clause->args, side);
  if (is_column(node, varno, column)) return is_equality(condition, family);
  if (!IsA(node, FuncExpr) || !is_exact_cast(((const FuncExpr*)node)->funcid)) return false;
  if (!is_column((const Node*)linitial(((const FuncExpr*)node)->args), varno, column)) return false;
  const Oid type = ((const FuncExpr*)node)->funcresulttype;
  return is_equality(condition, lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf);
}

}  // namespace

bool is_fixed(const JoinConditions* join, Index varno, AttrNumber column, Oid family,
              const Bitmapset* known) {
  ListCell* cell;
  foreach (cell, join->conditions) {
    const JoinCondition* condition = (const JoinCondition*)lfirst(cell);
    if (!bms_is_member(varno, condition->holds)) continue;
    for (int side = 0; side < 2; side++) {
      if (!is_equality_of(condition, side, varno, column, family)) continue;
      Bitmapset* tables = NULL;
      (void)find_tables((Node*)list_nth(condition->clause->args, 1 - side), &tables);
      if (bms_is_subset(tables, known)) return true;
    }
  }
  return false;
}

bool is_one_row(const JoinConditions* join, Index varno, Oid relation, const Bitmapset* known) {
  if (!bms_is_subset(join->before[varno], known)) return false;
  ListCell* cell;
  foreach (cell, unique_keys(relation)) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    bool fixed = true;
    for (int i = 0; fixed && i < key->columns; i++) {
      fixed = is_fixed(join, varno, key->column[i], key->family[i], known);
    }
    if (fixed) return true;
  }
  return false;
}

}  // namespace dpmix::pg
