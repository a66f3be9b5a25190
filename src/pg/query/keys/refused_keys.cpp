#include "pg/query/keys/refused_keys.hpp"

#include <optional>

extern "C" {
#include "access/stratnum.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

// A hint, put after what else there is to do. Groups of grouping sets are never found.
const char* or_find_groups(const RowScope* scope) {
  if (scope->query->groupingSets != NIL) return "";
  return " Or let the groups be found that enough people are in: keys => 'auto' and a delta (in "
         "plain SQL, SET dpmix.delta = 1e-6).";
}

void refuse_column(const RowScope* scope, const Var* column) {
  const ProtectedTable* table = source_of(scope, column)->table;
  const char* name = column_text(scope, column);
  const ColumnDomain domain = domain_of(scope, column);
  const char* message = psprintf("the values of group key %s are not public", name);
  if (is_number(column->vartype) && domain.has_bounds) {
    refuse(ErrorCode::domain_missing, message,
           psprintf("Its bounds are %g and %g; it has no declared categories.", domain.lower,
                    domain.upper),
           psprintf("Group by floor(%s / 10), or by width_bucket(%s, %g, %g, 10).%s", name, name,
                    domain.lower, domain.upper, or_find_groups(scope)));
  }
  refuse(ErrorCode::domain_missing, message,
         psprintf("dpmix never derives them from the rows of %s.", table->name),
         psprintf("The owner states them: SELECT dpmix.set_categories(%s, %s, '{...}').%s",
                  quote_literal_cstr(table->name), quote_literal_cstr(column_text(scope, column)),
                  or_find_groups(scope)));
}

void refuse_numbers(const RowScope* scope, const QueryKey* asked) {
  SafeNumber number;
  if (!bounded_number(scope, (Node*)asked->expression, &number)) return;
  if (number.integral) {
    refuse_many_groups(
        psprintf("A group key has whole numbers from %.0f to %.0f.", number.lower, number.upper));
  }
  refuse(ErrorCode::domain_missing,
         "a group key of numbers that need not be whole has no public values",
         psprintf("Its bounds are %g and %g.", number.lower, number.upper),
         psprintf("Group by floor(...) or width_bucket(x, lower, upper, n).%s",
                  or_find_groups(scope)));
}

// The column below casts that give different values for different ones; NULL: it is none.
const Var* column_below(const Node* key) {
  for (;;) {
    if (IsA(key, Var)) return (const Var*)key;
    if (IsA(key, RelabelType)) {
      key = (const Node*)((const RelabelType*)key)->arg;
    } else if (IsA(key, FuncExpr) && is_widening_cast(((const FuncExpr*)key)->funcid)) {
      key = (const Node*)linitial(((const FuncExpr*)key)->args);
    } else {
      return NULL;
    }
  }
}

struct Column {
  Index varno;
  AttrNumber number;
  bool operator==(const Column&) const = default;
};

std::optional<Column> plain_column(const Node* node) {
  const Var* var = column_below(node);
  if (var == NULL) return std::nullopt;
  return Column{(Index)var->varno, var->varattno};
}

// A fact says that both are equal.
bool are_joined(const List* facts, const Column& a, const Column& b) {
  const ListCell* cell;
  foreach (cell, facts) {
    const OpExpr* fact = (const OpExpr*)lfirst(cell);
    if (!IsA(fact, OpExpr) || order_strategy(fact->opno) != BTEqualStrategyNumber) continue;
    const auto left = plain_column((const Node*)linitial(fact->args));
    const auto right = plain_column((const Node*)lsecond(fact->args));
    if ((left == a && right == b) || (left == b && right == a)) return true;
  }
  return false;
}

struct Keys {
  const QueryShape* shape;
  const List* facts;
};

bool is_key(const Keys& keys, const Column& column) {
  for (int k = 0; k < keys.shape->keys; k++) {
    const auto key = plain_column((const Node*)keys.shape->key[k].expression);
    if (key && (key == column || are_joined(keys.facts, *key, column))) return true;
  }
  return false;
}

// The names of the columns of a unique key that is among the keys. NULL: there is none.
const char* unique_columns(const Keys& keys, const QuerySource* source) {
  const ListCell* cell;
  foreach (cell, unique_keys(source->relation)) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    StringInfoData names;
    initStringInfo(&names);
    bool all = true;
    for (int i = 0; i < key->columns && all; i++) {
      all = is_key(keys, {source->varno, key->column[i]});
      appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
                       quote_identifier(get_attname(source->relation, key->column[i], false)));
    }
    if (all) return names.data;
  }
  return NULL;
}

[[noreturn]] void refuse_single(const char* message, const char* detail) {
  refuse(ErrorCode::query_not_allowed, message, detail,
         "Group by what many people have in common. How many people there are: count(DISTINCT x) "
         "of the privacy unit.");
}

// Refuses keys that have one person in each group, where a layer makes the rows.
void refuse_keys_of_units(const QueryShape* shape, const Layer* layer) {
  for (int k = 0; k < shape->keys; k++) {
    const auto key = plain_column((const Node*)shape->key[k].expression);
    if (!key || key->number < 1 || key->number > layer->columns) continue;
    const LayerColumn& column = layer->column[key->number - 1];
    if (!column.is_unit && !column.is_key) continue;
    refuse_single(psprintf("groups by %s are of one person each, and never come back",
                           quote_identifier(column.name)),
                  "It tells whose its rows are; groups that are found have several people.");
  }
}

}  // namespace

void refuse_key(const RowScope* scope, const QueryKey* asked) {
  const Node* expression = (const Node*)asked->expression;
  if (IsA(expression, Var)) refuse_column(scope, (const Var*)expression);
  if (is_number(asked->type)) refuse_numbers(scope, asked);
  refuse(
      ErrorCode::domain_missing,
      psprintf("the values of group key %s are not public", expression_text(scope, expression)),
      psprintf("They do not follow from categories or bounds of its columns, or are more than %d.",
               kMaxGroups),
      psprintf("Let the owner declare categories (dpmix.set_categories) or bounds "
               "(dpmix.set_bounds) of its columns.%s",
               or_find_groups(scope)));
}

void refuse_groups_of_one(const RowScope* scope, const QueryShape* shape) {
  const QuerySource* source = scope->sources->source;
  while (source->table != scope->sources->first) source++;
  const Keys keys = {shape, scope->facts};
  if (source->layer != NULL) {
    refuse_keys_of_units(shape, source->layer);
    return;
  }
  const AttrNumber unit = source->table->unit;
  if (unit != InvalidAttrNumber && is_key(keys, {source->varno, unit})) {
    refuse_single(
        psprintf("groups by %s are of one person each, and never come back",
                 quote_identifier(get_attname(source->relation, unit, false))),
        psprintf("It is the privacy unit of %s; groups that are found have several people.",
                 source->table->name));
  }
  const char* columns = unique_columns(keys, source);
  if (columns == NULL) return;
  refuse_single(psprintf("groups by %s are of one row each, and never come back", columns),
                psprintf("It is a unique key of %s; groups that are found have several people.",
                         source->table->name));
}

}  // namespace dpmix::pg
