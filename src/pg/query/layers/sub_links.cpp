#include "pg/query/layers/sub_links.hpp"

#include "pg/border/guard.hpp"
#include "pg/query/layers/marks.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

bool is_private(const LayerQuery* level) {
  return level->layer->tables != NIL;
}

[[noreturn]] void refuse_strangers(const char* what) {
  refuse_construct(psprintf("%s over the rows of other people is", what),
                   "Compare its privacy unit with that of the row around it, as in WHERE v.person "
                   "= p.person. What is computed from all people is asked for first, and passed "
                   "as $1.");
}

SubLink* link_to(const SubLink* link, const LayerQuery* below) {
  SubLink* made = (SubLink*)copyObjectImpl(link);
  made->subselect = (Node*)below->made;
  return made;
}

// Both are the person, and neither is NULL.
bool compare_units(const LayerQuery* level, const Node* left, const LayerQuery* below) {
  const Var* column = bare_column(left);
  if (column == NULL || below->layer->columns < 1) return false;
  const ColumnMarks mine = known_of(level, column), theirs = below->column[0];
  if (mine.nullable || theirs.nullable) return false;
  const ListCell *a, *b;
  foreach (a, mine.marks) {
    foreach (b, theirs.marks) {
      const Mark *one = (const Mark*)lfirst(a), *other = (const Mark*)lfirst(b);
      if (is_whole(one) && same_mark(one, other)) return true;
    }
  }
  return false;
}

SafePart member_part(SafeCompiler* compiler, const LayerQuery* level, const SubLink* link) {
  if (link->testexpr == NULL || !IsA(link->testexpr, OpExpr)) {
    refuse_construct("IN with several columns is", "Compare one column, or write EXISTS.");
  }
  const LayerQuery* below = query_within(level, castNode(Query, link->subselect), LayerAs::member);
  OpExpr* test = (OpExpr*)copyObjectImpl(link->testexpr);
  set_opfuncid(test);
  Node* left = (Node*)linitial(test->args);
  if (is_private(below) && !follows_unit_around(below) && !compare_units(level, left, below)) {
    refuse_strangers("IN (SELECT ...)");
  }
  SafeCompiler stored = *compiler;
  stored.columns = ColumnsAs::stored;
  const SafePart value = safe_part(&stored, left);
  const Node* other = (const Node*)lsecond(test->args);
  const bool plain = IsA(other, Param) && !value.recompiled &&
                     below->layer->column[0].type == exprType(other) &&
                     is_total_comparison(test->opfuncid, test->inputcollid) &&
                     order_strategy(test->opno) == BTEqualStrategyNumber;
  if (!plain) {
    refuse_construct("IN (SELECT ...) of computed values is",
                     "Compare plain columns of one type, or write EXISTS.");
  }
  linitial(test->args) = value.value;
  SubLink* made = link_to(link, below);
  made->testexpr = (Node*)test;
  return plain_part((Expr*)made);
}

SafePart exists_part(const LayerQuery* level, const SubLink* link) {
  const LayerQuery* below = query_within(level, castNode(Query, link->subselect), LayerAs::exists);
  if (is_private(below) && !follows_unit_around(below)) refuse_strangers("EXISTS");
  return plain_part((Expr*)link_to(link, below));
}

bool has_one_value(const Query* query) {
  if (query->setOperations != NULL) return false;
  if (query->hasAggs && query->groupClause == NIL) return true;
  const Const* limit = query->limitCount != NULL && IsA(query->limitCount, Const)
                           ? (const Const*)query->limitCount
                           : NULL;
  return limit != NULL && !limit->constisnull && DatumGetInt64(limit->constvalue) == 1;
}

void note_value(const LayerQuery* level, const SubLink* link, const LayerColumn* column) {
  LinkedValue* value = (LinkedValue*)palloc(sizeof(LinkedValue));
  *value = {link, column};
  *level->values = lappend(*level->values, value);
}

SafePart value_part(const SafeCompiler* compiler, const LayerQuery* level, const SubLink* link) {
  const Query* query = castNode(Query, link->subselect);
  if (!has_one_value(query)) {
    refuse_construct("a sub-select that may have several values is",
                     "Aggregate without GROUP BY in it, or add ORDER BY and LIMIT 1.");
  }
  const LayerQuery* below = query_within(level, query, LayerAs::value);
  if (is_private(below) && !follows_unit_around(below)) refuse_strangers("a sub-select");
  const LayerColumn& column = below->layer->column[0];
  note_value(level, link, &column);
  SafePart part = plain_part((Expr*)link_to(link, below));
  const ColumnDomain domain =
      column.plain != NULL ? domain_of(column.scope, column.plain) : column.domain;
  if (domain.has_bounds) part.range = {domain.lower, domain.upper, is_integer(column.type)};
  if (!is_number(column.type)) return part;
  if (!compiler->bounded() && !column.computed()) return part;
  Expr* value = as_float8(part.value);
  if (compiler->bounded() && domain.has_bounds) {
    value =
        call_dpmix("total_clamp", FLOAT8OID,
                   list_make3(value, float8_constant(domain.lower), float8_constant(domain.upper)));
  }
  return number_part(value, part.range);
}

}  // namespace

const LayerColumn* column_of_value(const LayerQuery* level, const Node* expression) {
  if (!IsA(expression, SubLink)) return NULL;
  const ListCell* cell;
  foreach (cell, *level->values) {
    const LinkedValue* value = (const LinkedValue*)lfirst(cell);
    if (equal(value->link, expression)) return value->column;
  }
  return NULL;
}

SafePart sub_link_part(SafeCompiler* compiler, const LayerQuery* level, const SubLink* link) {
  switch (link->subLinkType) {
    case EXISTS_SUBLINK:
      return exists_part(level, link);
    case ANY_SUBLINK:
      return member_part(compiler, level, link);
    case EXPR_SUBLINK:
      return value_part(compiler, level, link);
    default:
      refuse_construct("ALL or ARRAY with a sub-select is", "Write EXISTS, IN or NOT IN.");
  }
}

}  // namespace dpmix::pg
