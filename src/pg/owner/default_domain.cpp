#include "pg/owner/default_domain.hpp"

#include <cmath>

#include "pg/border/compat.hpp"
#include "pg/border/portable_text.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/owner/stated_domain.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// CHECK constraints of a column's table, then of the domains that its type is made of.
Statement constraints_of_column = {
    "WITH RECURSIVE layer(type, depth) AS ("
    "  SELECT atttypid, 1 FROM pg_attribute WHERE attrelid = $1 AND attnum = $2"
    "  UNION ALL SELECT t.typbasetype, depth + 1 FROM layer JOIN pg_type t ON t.oid = layer.type "
    "  WHERE t.typtype = 'd') "
    "SELECT c.conname::text, c.conbin::text, NULL::text, 0 FROM pg_constraint c "
    "WHERE c.contype = 'c' AND c.convalidated AND c.conrelid = $1 AND $2 = ANY (c.conkey) "
    "UNION ALL SELECT NULL, c.conbin::text, format_type(l.type, NULL), depth "
    "FROM layer l JOIN pg_constraint c ON c.contypid = l.type "
    "WHERE c.contype = 'c' AND c.convalidated ORDER BY 4, 1, 2"};

Statement labels_of_enum = {
    "SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = $1"};

struct Constraint {
  char* name;
  char* tree;
  char* domain;  // that it belongs to; NULL: the table
};

struct Reading {  // what the constraints of one column say
  const OwnedColumn* column;
  double lower, upper;  // infinite: not found
  int categories;
  const char** category;
  bool narrowed;  // whether the constraint that is read now gave anything
};

const Node* unlabelled(const Node* node) {
  while (IsA(node, RelabelType)) node = (const Node*)((const RelabelType*)node)->arg;
  return node;
}

bool is_column(const Node* node, const OwnedColumn* column) {
  node = unlabelled(node);
  if (IsA(node, Var)) return ((const Var*)node)->varattno == column->attnum;
  return IsA(node, CoerceToDomainValue);
}

bool is_strange_function(Oid function, void*) {
  return function >= FirstUnpinnedObjectId;
}

bool calls_strange(Node* node, void* arg) {
  if (node == NULL) return false;
  return check_functions_in_node(node, is_strange_function, arg) ||
         walk_expression(node, calls_strange, arg);
}

// The constant that an expression is; NULL: it is none. Only functions of PostgreSQL's own run:
// the caller may have more rights than who wrote the constraint.
const Const* constant_of(const Node* node) {
  if (calls_strange((Node*)node, NULL)) return NULL;
  const Node* folded = NULL;
  ErrorData* error = error_of(
      [&] { folded = unlabelled(eval_const_expressions(NULL, (Node*)copyObjectImpl(node))); });
  if (error != NULL || !IsA(folded, Const) || ((const Const*)folded)->constisnull) return NULL;
  return (const Const*)folded;
}

char* text_of_value(Oid type, Datum value) {
  Oid output;
  bool varlena;
  getTypeOutputInfo(type, &output, &varlena);
  const int level = begin_portable_text();
  char* text = OidOutputFunctionCall(output, value);
  AtEOXact_GUC(false, level);
  return text;
}

bool number_of(const OwnedColumn* column, char* text, double* number) {
  *number = 0;
  return error_of([&] { *number = read_bound(column, text); }) == NULL && std::isfinite(*number);
}

bool is_discrete(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID;
}

// "<", "<=", ">", ">=", "=" of PostgreSQL's own; NULL: another one.
const char* comparison_name(Oid op) {
  return op < FirstUnpinnedObjectId ? get_opname(op) : NULL;
}

void narrow(Reading* reading, const char* name, const Const* constant) {
  if (!can_have_bounds(reading->column)) return;
  double number;
  if (!number_of(reading->column, text_of_value(constant->consttype, constant->constvalue),
                 &number)) {
    return;
  }
  const bool strict = name[1] == '\0';
  const double step =
      strict && is_discrete(reading->column->type) && number == std::floor(number) ? 1 : 0;
  if (name[0] == '<') reading->upper = Min(reading->upper, number - step);
  if (name[0] == '>') reading->lower = Max(reading->lower, number + step);
  reading->narrowed = true;
}

void read_comparison(Reading* reading, const OpExpr* node) {
  if (list_length(node->args) != 2) return;
  const Node* left = (const Node*)linitial(node->args);
  const Node* right = (const Node*)lsecond(node->args);
  const bool mirrored = is_column(right, reading->column);
  if (!mirrored && !is_column(left, reading->column)) return;
  const char* name = comparison_name(mirrored ? get_commutator(node->opno) : node->opno);
  if (name == NULL || (strcmp(name, "<") != 0 && strcmp(name, "<=") != 0 &&
                       strcmp(name, ">") != 0 && strcmp(name, ">=") != 0)) {
    return;
  }
  const Const* constant = constant_of(mirrored ? left : right);
  if (constant != NULL) narrow(reading, name, constant);
}

// The first list that is found stays.
void take_list(Reading* reading, List* texts) {
  if (reading->categories > 0 || texts == NIL || list_length(texts) > kMostCategories) return;
  reading->category = (const char**)palloc(sizeof(char*) * list_length(texts));
  ListCell* cell;
  foreach (cell, texts) {
    const char* text = (const char*)lfirst(cell);
    bool known = false;
    for (int i = 0; i < reading->categories; i++) {
      known = known || strcmp(reading->category[i], text) == 0;
    }
    if (!known) reading->category[reading->categories++] = text;
  }
  reading->narrowed = true;
}

void read_array(Reading* reading, const ScalarArrayOpExpr* node) {
  const char* name = comparison_name(node->opno);
  if (!node->useOr || name == NULL || strcmp(name, "=") != 0 ||
      !is_column((const Node*)linitial(node->args), reading->column)) {
    return;
  }
  const Const* array = constant_of((const Node*)lsecond(node->args));
  if (array == NULL || !OidIsValid(get_element_type(array->consttype))) return;
  const ArrayElements listed = array_elements((const Node*)array);
  List* texts = NIL;
  for (int i = 0; i < listed.count; i++) {
    if (!listed.null[i]) texts = lappend(texts, text_of_value(listed.type, listed.value[i]));
  }
  take_list(reading, texts);
}

// x = 'a' OR x = 'b'; false: something else.
bool read_equalities(Reading* reading, const List* branches) {
  List* texts = NIL;
  ListCell* cell;
  foreach (cell, branches) {
    const OpExpr* branch = (const OpExpr*)lfirst(cell);
    if (!IsA(branch, OpExpr) || list_length(branch->args) != 2) return false;
    const char* name = comparison_name(branch->opno);
    if (name == NULL || strcmp(name, "=") != 0) return false;
    const Node* left = (const Node*)linitial(branch->args);
    const Node* right = (const Node*)lsecond(branch->args);
    const bool mirrored = is_column(right, reading->column);
    if (!mirrored && !is_column(left, reading->column)) return false;
    const Const* constant = constant_of(mirrored ? left : right);
    if (constant == NULL) return false;
    texts = lappend(texts, text_of_value(constant->consttype, constant->constvalue));
  }
  take_list(reading, texts);
  return true;
}

bool is_null_test(const Node* node, const OwnedColumn* column) {
  return IsA(node, NullTest) && ((const NullTest*)node)->nulltesttype == IS_NULL &&
         is_column((const Node*)((const NullTest*)node)->arg, column);
}

void read_condition(Reading* reading, const Node* node) {
  if (node == NULL) return;
  if (IsA(node, OpExpr)) return read_comparison(reading, (const OpExpr*)node);
  if (IsA(node, ScalarArrayOpExpr)) return read_array(reading, (const ScalarArrayOpExpr*)node);
  if (!IsA(node, BoolExpr)) return;
  const BoolExpr* both = (const BoolExpr*)node;
  ListCell* cell;
  if (both->boolop == AND_EXPR) {
    foreach (cell, both->args) read_condition(reading, (const Node*)lfirst(cell));
  } else if (both->boolop == OR_EXPR) {
    List* branches = NIL;
    foreach (cell, both->args) {
      if (!is_null_test((const Node*)lfirst(cell), reading->column)) {
        branches = lappend(branches, lfirst(cell));
      }
    }
    if (list_length(branches) == 1) return read_condition(reading, (const Node*)linitial(branches));
    (void)read_equalities(reading, branches);
  }
}

// The constraints of a column, in the memory of the caller of as_catalog_owner().
int constraints_of(Oid relation, const OwnedColumn* column, Constraint** found) {
  int count = 0;
  as_catalog_owner([&] {
    count = (int)read_rows(constraints_of_column, {relation, column->attnum});
    *found = (Constraint*)SPI_palloc(sizeof(Constraint) * Max(count, 1));
    for (int i = 0; i < count; i++) {
      const ResultRow row = {(uint64)i};
      (*found)[i] = {row.text(1), row.text(2), row.text(3)};
    }
  });
  return count;
}

const char* with_source(const char* before, const Constraint& constraint) {
  const char* source = constraint.domain != NULL ? psprintf("domain %s", constraint.domain)
                                                 : psprintf("CHECK constraint %s", constraint.name);
  return before == NULL ? source : psprintf("%s, %s", before, source);
}

// Numbers in a list are bounds, too.
void bound_by_list(Reading* reading) {
  if (!can_have_bounds(reading->column)) return;
  double lower = INFINITY, upper = -INFINITY;
  for (int i = 0; i < reading->categories; i++) {
    double number;
    if (!number_of(reading->column, pstrdup(reading->category[i]), &number)) return;
    lower = Min(lower, number);
    upper = Max(upper, number);
  }
  reading->lower = Max(reading->lower, lower);
  reading->upper = Min(reading->upper, upper);
}

// What its type says by itself.
void take_type(const OwnedColumn* column, DefaultDomain* found) {
  static const char* const kBooleans[] = {"false", "true"};
  if (column->type == BOOLOID) {
    found->categories = lengthof(kBooleans);
    found->category = (const char**)kBooleans;
    found->source = "boolean";
  } else if (get_typtype(column->type) == TYPTYPE_ENUM) {
    as_catalog_owner([&] {
      (void)read_rows(labels_of_enum, {column->type});
      found->category = (const char**)ResultRow().texts(1, &found->categories);
    });
    if (found->categories > kMostCategories) found->categories = 0;
    if (found->categories > 0) {
      found->source = psprintf("enum %s", format_type_be(column->type));
    }
  }
}

}  // namespace

DefaultDomain default_domain(Oid relation, const OwnedColumn* column) {
  Constraint* constraint = NULL;
  const int count = constraints_of(relation, column, &constraint);
  Reading reading = {column, -INFINITY, INFINITY, 0, NULL, false};
  DefaultDomain found = {};
  const char* source = NULL;
  for (int i = 0; i < count; i++) {
    reading.narrowed = false;
    read_condition(&reading, (const Node*)stringToNode(constraint[i].tree));
    if (reading.narrowed) source = with_source(source, constraint[i]);
  }
  if (reading.categories > 0) bound_by_list(&reading);
  found.has_bounds = reading.lower < reading.upper && std::isfinite(reading.upper - reading.lower);
  if (found.has_bounds) {
    found.lower = reading.lower;
    found.upper = reading.upper;
  } else if (std::isfinite(reading.lower) != std::isfinite(reading.upper)) {
    found.half = source;
  }
  if (has_trusted_text(column->type)) {
    found.categories = reading.categories;
    found.category = reading.category;
  }
  if (found.has_bounds || found.categories > 0) {
    found.source = source;
  } else {
    take_type(column, &found);
  }
  return found;
}

}  // namespace dpmix::pg
