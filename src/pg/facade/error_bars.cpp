#include "pg/facade/error_bars.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/facade/aggregates.hpp"
#include "pg/facade/settings.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_is_uncertain);
PG_FUNCTION_INFO_V1(dpmix_outside_plain);
}

namespace dpmix::pg {
namespace {

constexpr double kUsualShare = .5;  // that of dpmix.shown() where nothing says another

Expr* null_float8() {
  return (Expr*)makeNullConst(FLOAT8OID, -1, InvalidOid);
}

Expr* is_uncertain(Var* width, Expr* share, Expr* usual) {
  return call_dpmix("is_uncertain", BOOLOID, list_make3(width, share, usual));
}

Node* without_casts(Node* node) {
  while (IsA(node, RelabelType) ||
         (IsA(node, FuncExpr) && ((FuncExpr*)node)->funcformat != COERCE_EXPLICIT_CALL &&
          list_length(((FuncExpr*)node)->args) == 1)) {
    node = IsA(node, RelabelType) ? (Node*)((RelabelType*)node)->arg
                                  : (Node*)linitial(((FuncExpr*)node)->args);
  }
  return node;
}

// The argument of a number, from 0, however it was passed; NULL: left out.
Node* argument_of(const FuncExpr* call, int number) {
  int place = 0;
  const ListCell* cell;
  foreach (cell, call->args) {
    Node* argument = (Node*)lfirst(cell);
    int at = place++;
    if (IsA(argument, NamedArgExpr)) {
      at = ((NamedArgExpr*)argument)->argnumber;
      argument = (Node*)((NamedArgExpr*)argument)->arg;
    }
    if (at == number) return argument;
  }
  return NULL;
}

[[noreturn]] void refuse_outside() {
  refuse(ErrorCode::query_not_allowed,
         "dpmix.low, dpmix.high and dpmix.shown stand only in a SELECT over a facade",
         "One was called elsewhere, or on something that is no aggregate of the facade's rows.",
         "Write SELECT dpmix.low(count(*)) FROM a facade.");
}

bool is_shown_call(const Node* node) {
  if (!IsA(node, FuncExpr) || !is_dpmix_function(((const FuncExpr*)node)->funcid)) return false;
  const char* name = get_func_name(((const FuncExpr*)node)->funcid);
  return name != NULL && strcmp(name, "shown") == 0;
}

bool find_shown(Node* node, void* arg) {
  if (node == NULL) return false;
  if (is_shown_call(node)) return true;
  if (IsA(node, Query)) return walk_query((Query*)node, find_shown, arg);
  return walk_expression(node, find_shown, arg);
}

bool find_placeholder(Node* node, void* arg) {
  if (node == NULL) return false;
  const bool left =
      is_shown_call(node) || (IsA(node, FuncExpr) && is_interval_end(((FuncExpr*)node)->funcid));
  if (left) refuse_outside();
  if (IsA(node, Query)) return walk_query((Query*)node, find_placeholder, arg);
  return walk_expression(node, find_placeholder, arg);
}

}  // namespace

List* with_widths(const List* keys, const List* aggregates) {
  List* columns = list_copy(keys);
  const ListCell* cell;
  foreach (cell, aggregates) {
    columns = lappend(columns, lfirst(cell));
    columns = lappend(columns, null_float8());
  }
  return columns;
}

bool has_shown_cells(Query* statement) {
  return find_shown((Node*)statement, NULL);
}

bool is_shown_of_aggregate(const Node* node, int depth) {
  return is_shown_call(node) && contain_aggs_of_level(argument_of((const FuncExpr*)node, 0), depth);
}

Aggref* aggregate_of_shown(const FuncExpr* call) {
  Node* aggregate = without_casts(argument_of(call, 0));
  if (!IsA(aggregate, Aggref)) {
    refuse_construct("dpmix.shown of something other than an aggregate is",
                     "Write dpmix.shown(count(*), 'too few'): the aggregate itself, then the "
                     "text.");
  }
  return (Aggref*)aggregate;
}

Expr* shown_cell(const FuncExpr* call, Var* cell, Var* width) {
  CoerceViaIO* text = makeNode(CoerceViaIO);
  text->arg = (Expr*)cell;
  text->resulttype = TEXTOID;
  text->resultcollid = call->funccollid;
  text->coerceformat = COERCE_EXPLICIT_CAST;
  text->location = -1;
  Expr* share = (Expr*)argument_of(call, 2);
  if (share == NULL) share = null_float8();
  return case_when(is_uncertain(width, share, (Expr*)float8_constant(kUsualShare)),
                   (Expr*)argument_of(call, 1), (Expr*)text);
}

void refuse_placeholders(Node* node) {
  (void)find_placeholder(node, NULL);
}

Expr* unless_uncertain(Expr* cell, Var* width) {
  return case_when(is_uncertain(width, null_float8(), null_float8()), nullptr, cell);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

// width, share, usual: whether the width is above the share; where that is NULL, above what
// dpmix.suppress says, and where it says nothing above what is usual.
Datum dpmix_is_uncertain(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0)) PG_RETURN_BOOL(false);
  double share = PG_ARGISNULL(1) ? plain_suppressed_share() : PG_GETARG_FLOAT8(1);
  if (share <= 0 && !PG_ARGISNULL(2)) share = PG_GETARG_FLOAT8(2);
  PG_RETURN_BOOL(share > 0 && PG_GETARG_FLOAT8(0) > share);
}

Datum dpmix_outside_plain(PG_FUNCTION_ARGS) {
  refuse_outside();
}
}
