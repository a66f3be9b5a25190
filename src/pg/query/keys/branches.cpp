#include "pg/query/keys/branches.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
}

#include "pg/border/compat.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/trees/nodes.hpp"

namespace dpmix::pg {
namespace {

struct Search {
  const RowScope* scope;
  List* found;
};

// Some row that counts can have a value there that is not public.
bool reads_open_column(const RowScope* scope, const Node* node) {
  const ListCell* cell;
  foreach (cell, columns_of((Node*)node)) {
    if (!has_no_others(scope, (const Var*)lfirst(cell))) return true;
  }
  return false;
}

bool admits_public_values_alone(const RowScope* scope, const Expr* condition) {
  const List* columns = columns_of((Node*)condition);
  return list_length(columns) == 1 &&
         name_public_values(scope, list_make1((void*)condition), linitial_node(Var, columns));
}

void add_branch(Search* search, const Node* choice, const Node* result) {
  if (!IsA(result, Const) || ((const Const*)result)->constisnull) return;
  Branch* branch = (Branch*)palloc(sizeof(Branch));
  *branch = {(const Expr*)choice, (const Const*)result};
  search->found = lappend(search->found, branch);
}

void add_case(Search* search, const CaseExpr* choice) {
  ListCell* cell;
  foreach (cell, choice->args) {
    const CaseWhen* when = lfirst_node(CaseWhen, cell);
    if (choice->arg == NULL && admits_public_values_alone(search->scope, when->expr)) continue;
    add_branch(search, (const Node*)choice, (const Node*)when->result);
  }
  add_branch(search, (const Node*)choice, (const Node*)choice->defresult);
}

// A plain column is NULL by itself or not at all.
void add_coalesce(Search* search, const CoalesceExpr* choice) {
  bool computed = false;
  ListCell* cell;
  foreach (cell, choice->args) {
    if (computed) add_branch(search, (const Node*)choice, (const Node*)lfirst(cell));
    computed = computed || !IsA(lfirst(cell), Var);
  }
}

bool find_branches(Node* node, void* arg) {
  if (node == NULL) return false;
  Search* search = (Search*)arg;
  const bool chooses = IsA(node, CaseExpr) || IsA(node, CoalesceExpr);
  if (chooses && reads_open_column(search->scope, node)) {
    if (IsA(node, CaseExpr)) {
      add_case(search, (const CaseExpr*)node);
    } else {
      add_coalesce(search, (const CoalesceExpr*)node);
    }
  }
  return walk_expression(node, find_branches, arg);
}

}  // namespace

List* open_branches(const RowScope* scope, const Expr* expression) {
  Search search = {scope, NIL};
  find_branches((Node*)expression, &search);
  return search.found;
}

}  // namespace dpmix::pg
