#include "pg/released_query.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
}

#include "pg/compat.hpp"
#include "pg/query_aggregates.hpp"
#include "pg/query_quantiles.hpp"
#include "pg/query_refusal.hpp"

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
    if (known->kind == asked.kind && known->type == asked.type &&
        equal(known->argument, asked.argument) && same_numbers(*known, asked)) {
      return i;
    }
  }
  shape->aggregate =
      (QueryAggregate*)repalloc(shape->aggregate, sizeof(QueryAggregate) * (shape->aggregates + 1));
  shape->aggregate[shape->aggregates] = asked;
  return shape->aggregates++;
}

int add_value(QueryShape* shape, const ReleasedValue& asked) {
  for (int i = 0; i < shape->values; i++) {
    const ReleasedValue* known = &shape->value[i];
    if (known->aggregate == asked.aggregate && known->end == asked.end &&
        known->level == asked.level) {
      return i;
    }
  }
  shape->value =
      (ReleasedValue*)repalloc(shape->value, sizeof(ReleasedValue) * (shape->values + 1));
  shape->value[shape->values] = asked;
  return shape->values++;
}

Expr* over_released(QueryShape* shape, Node* node) {
  QueryAggregate aggregate;
  ReleasedValue value;
  if (read_released_call(node, &aggregate, &value)) {
    value.aggregate = add_aggregate(shape, aggregate);
    const int number = shape->keys + 1 + add_value(shape, value);
    return (Expr*)makeVar(1, number, value.type, -1, InvalidOid, 0);
  }
  const int k = find_key(shape, node);
  if (k < 0) {
    refuse_construct(
        "an item of the select list that is neither a group key nor a dp_* aggregate is",
        "Compute with released values in the outer query.");
  }
  const QueryKey* key = &shape->key[k];
  return (Expr*)makeVar(1, k + 1, key->type, key->typmod, key->collation, 0);
}

}  // namespace

ReleasedQuery* released_query(const Query* query, QueryShape* shape) {
  ReleasedQuery* released = (ReleasedQuery*)palloc0(sizeof(ReleasedQuery));
  released->column =
      (ReleasedColumn*)palloc0(sizeof(ReleasedColumn) * (list_length(query->targetList) + 1));
  shape->aggregate = (QueryAggregate*)palloc(sizeof(QueryAggregate));
  shape->value = (ReleasedValue*)palloc(sizeof(ReleasedValue));
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    if (entry->resjunk) continue;  // a key that is not returned
    ReleasedColumn* column = &released->column[released->columns++];
    column->name = entry->resname;
    column->expression = over_released(shape, (Node*)entry->expr);
    column->type = exprType((Node*)column->expression);
    column->typmod = exprTypmod((Node*)column->expression);
  }
  if (shape->aggregates == 0) {
    refuse_construct("a query without a dp_* aggregate is",
                     "Add dp_count(*), or read the declared categories.");
  }
  return released;
}

void check_columns(const ReleasedQuery* released, TupleDesc columns) {
  bool fits = columns->natts == released->columns;
  for (int i = 0; fits && i < released->columns; i++) {
    fits = TupleDescAttr(columns, i)->atttypid == released->column[i].type;
  }
  if (fits) return;
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < released->columns; i++) {
    appendStringInfo(&list, "%s%s %s", i > 0 ? ", " : "",
                     quote_identifier(released->column[i].name),
                     format_type_be(released->column[i].type));
  }
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                  errmsg("the column definition list does not fit the query"),
                  errdetail("The query returns %d columns: (%s).", released->columns, list.data),
                  errhint("Write AS t(%s).", list.data)));
}

void return_released(const ReleasedQuery* released, Datum* const* rows, int64 count,
                     Tuplestorestate* result, TupleDesc columns) {
  Datum* values = (Datum*)palloc(sizeof(Datum) * columns->natts);
  bool* nulls = (bool*)palloc0(sizeof(bool) * columns->natts);
  for (int64 row = 0; row < count; row++) {
    for (int i = 0; i < columns->natts; i++) {
      values[i] = rows[row][castNode(Var, released->column[i].expression)->varattno - 1];
    }
    tuplestore_putvalues(result, columns, values, nulls);
  }
}

}  // namespace dpmix::pg
