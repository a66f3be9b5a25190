#include "pg/facade/constant_rows.hpp"

#include "pg/border/compat.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_rows(const char* detail) {
  refuse(ErrorCode::query_not_allowed, "VALUES in FROM is not allowed in this way", detail,
         "Join it by one equality with its own constants: JOIN (VALUES ('a', 1), ('b', 2)) AS "
         "v(code, weight) ON v.code = x; or write CASE.");
}

struct ConstantRows {
  Index varno;
  List* rows;     // lists of Const*
  OpExpr* match;  // x = key, x of private rows
  int key;        // which column of the rows, from 1
};

// The rows with a key, as constants.
void read_rows_of(const RangeTblEntry* entry, ConstantRows* of) {
  const ListCell *row, *cell;
  foreach (row, entry->values_lists) {
    List* made = NIL;
    foreach (cell, lfirst_node(List, row)) {
      Node* value = eval_const_expressions(NULL, (Node*)copyObjectImpl(lfirst(cell)));
      if (!IsA(value, Const)) refuse_rows("Its rows are not constants.");
      made = lappend(made, value);
    }
    of->rows = lappend(of->rows, made);
  }
}

bool names_rows(const Node* node, Index varno) {
  while (IsA(node, RelabelType)) node = (const Node*)((const RelabelType*)node)->arg;
  return IsA(node, Var) && ((const Var*)node)->varno == (int)varno;
}

int column_named(const Node* node) {
  while (IsA(node, RelabelType)) node = (const Node*)((const RelabelType*)node)->arg;
  return ((const Var*)node)->varattno;
}

bool has_rows(Node* node, Index varno) {
  ListCell* cell;
  foreach (cell, columns_of(node)) {
    if (lfirst_node(Var, cell)->varno == (int)varno) return true;
  }
  return false;
}

// x = a column of the rows; taken out of a condition.
Node* take_match(Node* condition, ConstantRows* of) {
  List* others = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)condition)) {
    Node* one = (Node*)lfirst(cell);
    OpExpr* test = IsA(one, OpExpr) && list_length(((OpExpr*)one)->args) == 2
                       ? (OpExpr*)copyObjectImpl(one)
                       : NULL;
    if (of->match == NULL && test != NULL &&
        op_mergejoinable(test->opno, exprType((Node*)linitial(test->args)))) {
      if (names_rows((Node*)linitial(test->args), of->varno)) CommuteOpExpr(test);
      if (names_rows((Node*)lsecond(test->args), of->varno) &&
          !has_rows((Node*)linitial(test->args), of->varno)) {
        of->match = test;
        of->key = column_named((Node*)lsecond(test->args));
        continue;
      }
    }
    others = lappend(others, one);
  }
  return others == NIL ? NULL : (Node*)make_ands_explicit(others);
}

Const* key_of(const ConstantRows& of, const ListCell* row) {
  return (Const*)list_nth((const List*)lfirst(row), of.key - 1);
}

// One row matches at most one of them.
void check_keys(ConstantRows* of) {
  const Oid type = exprType((Node*)lsecond(of->match->args));
  TypeCacheEntry* cache = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);
  List* kept = NIL;
  const ListCell *row, *other;
  foreach (row, of->rows) {
    const Const* key = key_of(*of, row);
    if (key->constisnull) continue;  // it matches nothing
    foreach (other, kept) {
      if (DatumGetBool(FunctionCall2Coll(&cache->eq_opr_finfo, of->match->inputcollid,
                                         key->constvalue, key_of(*of, other)->constvalue))) {
        refuse_rows("Two of its rows have the same key, so that rows would count twice.");
      }
    }
    kept = lappend(kept, lfirst(row));
  }
  if (kept == NIL) refuse_rows("None of its rows has a key.");
  of->rows = kept;
}

OpExpr* match_with(const ConstantRows& of, const Const* key) {
  OpExpr* made = (OpExpr*)copyObjectImpl(of.match);
  lsecond(made->args) = copyObjectImpl(key);
  return made;
}

Node* value_of_column(const ConstantRows& of, const Var* column) {
  CaseExpr* made = makeNode(CaseExpr);
  made->casetype = column->vartype;
  made->casecollid = column->varcollid;
  made->location = -1;
  const ListCell* row;
  foreach (row, of.rows) {
    CaseWhen* when = makeNode(CaseWhen);
    when->expr = (Expr*)match_with(of, key_of(of, row));
    when->result = (Expr*)copyObjectImpl(list_nth((const List*)lfirst(row), column->varattno - 1));
    when->location = -1;
    made->args = lappend(made->args, when);
  }
  made->defresult = (Expr*)makeNullConst(column->vartype, column->vartypmod, column->varcollid);
  return (Node*)made;
}

Node* with_values(Node* node, void* arg) {
  if (node == NULL) return NULL;
  const ConstantRows* of = (const ConstantRows*)arg;
  if (IsA(node, Var) && ((Var*)node)->varlevelsup == 0 && ((Var*)node)->varno == (int)of->varno) {
    if (((Var*)node)->varattno <= 0) refuse_rows("A whole row of it is named.");
    return value_of_column(*of, (Var*)node);
  }
  return mutate_expression(node, with_values, arg);
}

// That x is one of the keys.
Node* matches_some(const ConstantRows& of) {
  const Oid type = exprType((Node*)lsecond(of.match->args));
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(type, &length, &by_value, &align);
  Datum* keys = (Datum*)palloc(sizeof(Datum) * list_length(of.rows));
  int count = 0;
  const ListCell* row;
  foreach (row, of.rows) keys[count++] = key_of(of, row)->constvalue;
  ArrayType* array = construct_array(keys, count, type, length, by_value, align);
  ScalarArrayOpExpr* made = makeNode(ScalarArrayOpExpr);
  made->opno = of.match->opno;
  made->opfuncid = of.match->opfuncid;
  made->inputcollid = of.match->inputcollid;
  made->useOr = true;
  made->args = list_make2(
      copyObjectImpl(linitial(of.match->args)),
      constant(get_array_type(type), exprCollation((Node*)key_of(of, list_head(of.rows))),
               PointerGetDatum(array)));
  made->location = -1;
  return (Node*)made;
}

bool is_rows(const Node* node, Index varno) {
  return IsA(node, RangeTblRef) && ((const RangeTblRef*)node)->rtindex == (int)varno;
}

// A part of FROM without the rows, whose match it reads; what an inner join asks of others becomes
// a condition.
Node* without_rows(Node* node, ConstantRows* of, bool* outer, Node** condition) {
  if (!IsA(node, JoinExpr)) return node;
  JoinExpr* join = (JoinExpr*)node;
  const bool left = is_rows(join->larg, of->varno), right = is_rows(join->rarg, of->varno);
  if (left || right) {
    *outer = join->jointype == JOIN_LEFT && right;
    if (join->jointype != JOIN_INNER && !*outer) refuse_rows("It is the outer side of a join.");
    Node* others = take_match(join->quals, of);
    if (*outer && others != NULL) refuse_rows("A LEFT JOIN has other conditions, too.");
    *condition = make_and_qual(*condition, others);
    return left ? join->rarg : join->larg;
  }
  join->larg = without_rows(join->larg, of, outer, condition);
  // On a side that may be missing nothing can be lifted out of the join.
  if (join->jointype == JOIN_INNER) join->rarg = without_rows(join->rarg, of, outer, condition);
  return node;
}

void inline_rows(Query* query, Index varno) {
  ConstantRows of = {varno, NIL, NULL, 0};
  read_rows_of(rt_fetch(varno, query->rtable), &of);
  bool outer = false;
  Node* condition = NULL;
  List* from = NIL;
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    Node* item = (Node*)lfirst(cell);
    if (!is_rows(item, varno)) {
      from = lappend(from, without_rows(item, &of, &outer, &condition));
    }
  }
  query->jointree->fromlist = from;
  if (condition != NULL) query->jointree->quals = make_and_qual(query->jointree->quals, condition);
  if (of.match == NULL) query->jointree->quals = take_match(query->jointree->quals, &of);
  if (of.match == NULL) refuse_rows("Nothing compares one of its columns with private rows.");
  check_keys(&of);
  if (!outer) {
    query->jointree->quals = make_and_qual(query->jointree->quals, matches_some(of));
  }
  query->targetList = (List*)with_values((Node*)query->targetList, &of);
  query->havingQual = with_values(query->havingQual, &of);
  query->jointree = (FromExpr*)with_values((Node*)query->jointree, &of);
}

void collect_rows(const Query* query, const Node* node, List** varnos) {
  if (node == NULL) return;
  if (IsA(node, RangeTblRef)) {
    const int varno = ((const RangeTblRef*)node)->rtindex;
    if (rt_fetch(varno, query->rtable)->rtekind == RTE_VALUES)
      *varnos = lappend_int(*varnos, varno);
  } else if (IsA(node, JoinExpr)) {
    collect_rows(query, ((const JoinExpr*)node)->larg, varnos);
    collect_rows(query, ((const JoinExpr*)node)->rarg, varnos);
  } else {
    ListCell* cell;
    foreach (cell, castNode(FromExpr, (Node*)node)->fromlist) {
      collect_rows(query, (const Node*)lfirst(cell), varnos);
    }
  }
}

}  // namespace

void inline_constant_rows(Query* query) {
  List* varnos = NIL;
  collect_rows(query, (const Node*)query->jointree, &varnos);
  ListCell* cell;
  foreach (cell, varnos) inline_rows(query, (Index)lfirst_int(cell));
}

}  // namespace dpmix::pg
