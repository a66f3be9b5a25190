#include "pg/query/check/released_columns.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/builtins.h"
}

#include "pg/border/compat.hpp"
#include "pg/query/check/aggregates.hpp"
#include "pg/query/check/grouping_sets.hpp"
#include "pg/query/check/released_functions.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

int find_key(const QueryShape* shape, const Node* node) {
  for (int k = 0; k < shape->keys; k++) {
    if (equal(shape->key[k].expression, node)) return k;
  }
  return -1;
}

int add_aggregate(QueryShape* shape, const QueryAggregate& asked) {
  for (int i = 0; i < shape->aggregates; i++) {
    const QueryAggregate* known = &shape->aggregate[i];
    if (known->row == asked.row && known->type == asked.type &&
        equal(known->argument, asked.argument) && equal(known->second, asked.second) &&
        equal(known->filter, asked.filter) && same_numbers(*known, asked)) {
      return i;
    }
  }
  shape->aggregate =
      (QueryAggregate*)repalloc(shape->aggregate, sizeof(QueryAggregate) * (shape->aggregates + 1));
  shape->aggregate[shape->aggregates] = asked;
  return shape->aggregates++;
}

bool same_grouping(const QueryGrouping& a, const QueryGrouping& b) {
  return a.keys == b.keys && (a.keys == 0 || memcmp(a.key, b.key, sizeof(int) * (Size)a.keys) == 0);
}

int add_value(QueryShape* shape, const ReleasedValue& asked) {
  for (int i = 0; i < shape->values; i++) {
    const ReleasedValue* known = &shape->value[i];
    if (known->aggregate == asked.aggregate && known->end == asked.end &&
        known->level == asked.level && same_grouping(known->grouping, asked.grouping) &&
        equal(known->expression, asked.expression)) {
      return i;
    }
  }
  check_width(shape->keys + shape->values + 1, "group keys, aggregates and interval ends");
  shape->value =
      (ReleasedValue*)repalloc(shape->value, sizeof(ReleasedValue) * (shape->values + 1));
  shape->value[shape->values] = asked;
  return shape->values++;
}

struct Reading {
  const RowScope* scope;
  QueryShape* shape;
};

Expr* over_released_row(const Reading* reading, const void* node);

// A key, dp_* aggregate, dp_low or dp_high as a column of the released row; NULL for other nodes.
Var* released_column(const Reading* reading, Node* node) {
  QueryShape* shape = reading->shape;
  QueryAggregate aggregate;
  ReleasedValue value;
  if (read_released_call(node, &aggregate, &value)) {
    value.aggregate = add_aggregate(shape, aggregate);
    const int number = shape->keys + 1 + add_value(shape, value);
    return makeVar(1, number, value.type, -1, InvalidOid, 0);
  }
  if (const Expr* inside = read_interval_of_expression(node, &value)) {
    value.expression = over_released_row(reading, inside);
    return makeVar(1, shape->keys + 1 + add_value(shape, value), value.type, -1, InvalidOid, 0);
  }
  if (IsA(node, GroupingFunc)) {
    const QueryGrouping grouping =
        grouping_of(reading->scope->query, shape, (const GroupingFunc*)node);
    const ReleasedValue bits = {-1, ReleasedEnd::grouping, 0, INT4OID, grouping};
    return makeVar(1, shape->keys + 1 + add_value(shape, bits), INT4OID, -1, InvalidOid, 0);
  }
  const int k = find_key(shape, node);
  if (k < 0) return NULL;
  const QueryKey* key = &shape->key[k];
  return makeVar(1, k + 1, key->type, key->typmod, key->collation, 0);
}

Node* over_released(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (Var* column = released_column((const Reading*)arg, node)) return (Node*)column;
  check_released(node);
  return mutate_expression(node, over_released, arg);
}

// Ready to be evaluated: named and default arguments in place, simple functions inlined.
Expr* over_released_row(const Reading* reading, const void* node) {
  if (node == NULL) return NULL;
  return expression_planner((Expr*)over_released((Node*)node, (void*)reading));
}

ReleasedColumn column_of(const Reading* reading, const TargetEntry* entry) {
  Expr* made = over_released_row(reading, entry->expr);
  return {entry->resname, exprType((Node*)made), exprTypmod((Node*)made), made};
}

// The place of a sorted item among the columns; what is not returned becomes a hidden one.
int ordered_column(const Reading* reading, ReleasedColumns* released, const TargetEntry* entry) {
  if (entry->resjunk) {
    const int place = released->columns + released->hidden++;
    released->column[place] = column_of(reading, entry);
    return place;
  }
  int place = 0;
  ListCell* cell;
  foreach (cell, reading->scope->query->targetList) {
    if (lfirst(cell) == entry) break;
    if (!lfirst_node(TargetEntry, cell)->resjunk) place++;
  }
  return place;
}

void add_order(const Reading* reading, ReleasedColumns* released) {
  const Query* query = reading->scope->query;
  released->order =
      (ReleasedOrder*)palloc0(sizeof(ReleasedOrder) * (list_length(query->sortClause) + 1));
  ListCell* cell;
  foreach (cell, query->sortClause) {
    SortGroupClause* clause = lfirst_node(SortGroupClause, cell);
    const TargetEntry* entry = get_sortgroupclause_tle(clause, query->targetList);
    const int place = ordered_column(reading, released, entry);
    check_released_order(clause, (Node*)entry->expr);
    released->order[released->orders++] = {place, clause->sortop, exprCollation((Node*)entry->expr),
                                           clause->nulls_first};
  }
}

int64 row_count(const Node* node, const char* clause, int64 otherwise) {
  if (node == NULL) return otherwise;
  if (!IsA(node, Const)) {
    refuse_construct(psprintf("%s of something other than a constant is", clause),
                     "Write a number, or pass it as $1 with params.");
  }
  if (((const Const*)node)->constisnull) return otherwise;
  const int64 rows = DatumGetInt64(((const Const*)node)->constvalue);
  if (rows < 0) {
    refuse_argument(psprintf("%s must not be negative", clause),
                    psprintf("It is " INT64_FORMAT ".", rows),
                    "Give a number of rows, 0 or more, or leave it out.");
  }
  return rows;
}

}  // namespace

ReleasedColumns* released_columns(const RowScope* scope, QueryShape* shape) {
  const Query* query = scope->query;
  const Reading reading = {scope, shape};
  ReleasedColumns* released = (ReleasedColumns*)palloc0(sizeof(ReleasedColumns));
  released->column =
      (ReleasedColumn*)palloc0(sizeof(ReleasedColumn) * (list_length(query->targetList) + 1));
  shape->aggregate = (QueryAggregate*)palloc(sizeof(QueryAggregate));
  shape->value = (ReleasedValue*)palloc(sizeof(ReleasedValue));
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->resjunk) continue;  // a key, or what is sorted by, that is not returned
    released->column[released->columns++] = column_of(&reading, entry);
  }
  released->having = over_released_row(&reading, query->havingQual);
  add_order(&reading, released);
  check_width(released->columns + released->hidden + (released->orders > 0), "columns");
  released->offset = row_count(query->limitOffset, "OFFSET", 0);
  released->limit = row_count(query->limitCount, "LIMIT", kAllRows);
  released->with_ties = query->limitOption == LIMIT_OPTION_WITH_TIES;
  if (shape->aggregates == 0) {
    refuse_construct("a query without a dp_* aggregate is", "Add dp_count(*).");
  }
  return released;
}

TupleDesc released_type(const QueryShape* shape) {
  TupleDesc type = CreateTemplateTupleDesc(shape->keys + shape->values);
  for (int k = 0; k < shape->keys; k++) {
    TupleDescInitEntry(type, k + 1, NULL, shape->key[k].type, shape->key[k].typmod, 0);
  }
  for (int i = 0; i < shape->values; i++) {
    TupleDescInitEntry(type, shape->keys + i + 1, NULL, shape->value[i].type, -1, 0);
  }
  return type;
}

void check_width(int columns, const char* what) {
  if (columns <= MaxTupleAttributeNumber) return;
  refuse_argument(
      psprintf("the query has too many %s", what),
      psprintf("It has more than the %d columns that a row can have.", MaxTupleAttributeNumber),
      "Ask in several queries.");
}

const char* column_list(int count, const ReleasedColumn* column) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < count; i++) {
    appendStringInfo(&list, "%s%s %s", i > 0 ? ", " : "", quote_identifier(column[i].name),
                     format_type_be(column[i].type));
  }
  return list.data;
}

void check_columns(int count, const ReleasedColumn* column, TupleDesc columns) {
  bool fits = columns->natts == count;
  for (int i = 0; fits && i < count; i++) {
    fits = TupleDescAttr(columns, i)->atttypid == column[i].type;
  }
  if (fits) return;
  const char* list = column_list(count, column);
  refuse_argument("the column definition list does not fit the query",
                  psprintf("The query returns %d columns: (%s).", count, list),
                  psprintf("Write AS t(%s).", list));
}

}  // namespace dpmix::pg
