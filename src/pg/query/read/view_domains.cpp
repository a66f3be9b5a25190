#include "pg/query/read/view_domains.hpp"

#include <cfloat>
#include <cmath>

#include "pg/border/portable_text.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_collate.h"
#include "parser/parse_node.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

Statement declared_of_view = {
    "SELECT column_name, column_type, lower, upper, categories, other FROM dpmix.view_column "
    "WHERE schema_name = $1 AND view_name = $2"};

Statement any_declared = {"SELECT FROM dpmix.view_column LIMIT 1"};

struct Declared {
  char *column, *type;
  bool has_bounds;
  double lower, upper;
  int categories;
  char** category;
  char* other;  // NULL: other values are NULL
};

struct DeclaredList {
  Declared* list;
  int count;
};

// Most databases have none. Believed while the catalog's epoch lasts.
bool have_declared_views() {
  static uint64 known_epoch = 0;
  static bool any = false;
  const uint64 epoch = catalog_epoch();
  if (epoch != 0 && epoch == known_epoch) return any;
  known_epoch = 0;
  as_catalog_owner([&] { any = read_rows(any_declared) > 0; });
  if (catalog_epoch() == epoch) known_epoch = epoch;
  return any;
}

DeclaredList declared_of(Oid view) {
  DeclaredList declared = {};
  const Value schema = name_value(get_namespace_name(get_rel_namespace(view))),
              name = name_value(get_rel_name(view));
  as_catalog_owner([&] {
    declared.count = (int)read_rows(declared_of_view, {schema, name});
    declared.list = (Declared*)SPI_palloc(sizeof(Declared) * Max(declared.count, 1));
    for (int i = 0; i < declared.count; i++) {
      const ResultRow row = {(uint64)i};
      Declared* one = &declared.list[i];
      *one = {row.text(1), row.text(2), !row.is_null(3), row.float8(3), row.float8(4), 0,
              NULL,        NULL};
      one->category = row.texts(5, &one->categories);
      if (!row.is_null(6)) one->other = row.text(6);
    }
  });
  return declared;
}

Const* read_constant(const Var* column, const char* text) {
  Oid input, parameter;
  getTypeInputInfo(column->vartype, &input, &parameter);
  const int level = begin_portable_text();
  const Datum value = OidInputFunctionCall(input, (char*)text, parameter, -1);
  AtEOXact_GUC(false, level);
  return constant(column->vartype, column->varcollid, value);
}

// The whole number inside of a bound, or the farthest of the type.
double inside(double bound, bool upper, double farthest) {
  const double whole = upper ? std::floor(bound) : std::ceil(bound);
  return std::fmin(std::fmax(whole, -farthest), farthest);
}

Const* bound_of(const Var* column, double bound, bool upper) {
  switch (column->vartype) {
    case INT2OID:
      return constant(INT2OID, InvalidOid, Int16GetDatum((int16)inside(bound, upper, INT16_MAX)));
    case INT4OID:
      return constant(INT4OID, InvalidOid, Int32GetDatum((int32)inside(bound, upper, INT32_MAX)));
    case INT8OID:  // the largest number of float8 below 2^63
      return constant(INT8OID, InvalidOid,
                      Int64GetDatum((int64)inside(bound, upper, 0x1p63 - 1024)));
    case FLOAT4OID:
      return constant(FLOAT4OID, InvalidOid,
                      Float4GetDatum((float4)std::fmin(std::fmax(bound, -FLT_MAX), FLT_MAX)));
    case FLOAT8OID:
      return float8_constant(bound);
    case DATEOID:
      return constant(DATEOID, InvalidOid,
                      DateADTGetDatum((DateADT)inside(
                          std::fmax(bound, DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE), upper,
                          DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1)));
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return constant(column->vartype, InvalidOid,
                      Int64GetDatum((int64)std::fmin(std::fmax(bound * 1e6, (double)MIN_TIMESTAMP),
                                                     (double)END_TIMESTAMP - 1e6)));
    default:
      return read_constant(column, psprintf("%.17g", bound));
  }
}

Expr* extreme(MinMaxOp op, Oid type, Expr* value, Const* bound) {
  MinMaxExpr* made = makeNode(MinMaxExpr);
  made->minmaxtype = type;
  made->op = op;
  made->args = list_make2(value, bound);
  made->location = -1;
  return (Expr*)made;
}

// greatest() and least() leave NULLs out: what is unknown would become a bound.
Expr* clamped(const Var* column, const Declared& declared) {
  Expr* value = (Expr*)copyObjectImpl(column);
  value = extreme(IS_GREATEST, column->vartype, value, bound_of(column, declared.lower, false));
  value = extreme(IS_LEAST, column->vartype, value, bound_of(column, declared.upper, true));
  return case_when(is_known((const Expr*)column), value);
}

void add_choice(CaseExpr* choice, Expr* condition, Const* result) {
  CaseWhen* when = makeNode(CaseWhen);
  when->expr = condition;
  when->result = (Expr*)result;
  when->location = -1;
  choice->args = lappend(choice->args, when);
}

// CASE WHEN column = 'a' THEN 'a' ... WHEN column IS NOT NULL THEN 'other' END
Expr* chosen(const Var* column, const Declared& declared) {
  CaseExpr* choice = makeNode(CaseExpr);
  choice->casetype = column->vartype;
  choice->casecollid = column->varcollid;
  choice->location = -1;
  choice->defresult = (Expr*)makeNullConst(column->vartype, -1, column->varcollid);
  ParseState* state = make_parsestate(NULL);
  List* equals = list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup("=")));
  for (int i = 0; i < declared.categories; i++) {
    Const* category = read_constant(column, declared.category[i]);
    Expr* same = make_op(state, equals, (Node*)copyObjectImpl(column),
                         (Node*)copyObjectImpl(category), NULL, -1);
    assign_expr_collations(state, (Node*)same);
    add_choice(choice, same, category);
  }
  if (declared.other != NULL) {
    add_choice(choice, is_known((const Expr*)column), read_constant(column, declared.other));
  }
  free_parsestate(state);
  return (Expr*)choice;
}

Expr* within(Var* column, const char* name, const DeclaredList& declared) {
  for (int i = 0; i < declared.count; i++) {
    const Declared& one = declared.list[i];
    if (strcmp(one.column, name) != 0) continue;
    if (strcmp(one.type, format_type_be_qualified(column->vartype)) != 0) break;
    return one.has_bounds ? clamped(column, one) : chosen(column, one);
  }
  return (Expr*)column;
}

}  // namespace

Query* within_declared(Oid view, Query* body) {
  if (!have_declared_views()) return body;
  const DeclaredList declared = declared_of(view);
  if (declared.count == 0) return body;
  Query* around = makeNode(Query);
  around->commandType = CMD_SELECT;
  around->canSetTag = true;
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->inFromCl = true;
  become_subquery(entry, body);
  around->rtable = list_make1(entry);
  RangeTblRef* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  around->jointree = makeFromExpr(list_make1(reference), NULL);
  AttrNumber number = 0;
  const ListCell* cell;
  foreach (cell, body->targetList) {
    const TargetEntry* target = lfirst_node(TargetEntry, cell);
    if (target->resjunk) continue;
    number++;
    const char* name = get_attname(view, number, true);
    Expr* value = within(column_of(body, number), name != NULL ? name : "", declared);
    TargetEntry* made = makeTargetEntry(value, number, pstrdup(target->resname), false);
    around->targetList = lappend(around->targetList, made);
  }
  return around;
}

}  // namespace dpmix::pg
