#include "pg/facade/synthetic_looks.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/facade/recognise.hpp"
#include "pg/facade/settings.hpp"
#include "pg/owner/public_table.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteDefine.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

namespace dpmix::pg {
namespace {

// Of its own: no rows are chosen, made, kept or counted by anything besides, and each row that is
// shown is one that was made.
bool only_lists_rows(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == NULL &&
         query->cteList == NIL && !query->hasAggs && query->groupClause == NIL &&
         query->groupingSets == NIL && query->havingQual == NULL && query->distinctClause == NIL &&
         !query->hasWindowFuncs && !query->hasTargetSRFs && !query->hasSubLinks &&
         query->rowMarks == NIL && list_length(query->rtable) == 1 &&
         list_length(query->jointree->fromlist) == 1 &&
         IsA(linitial(query->jointree->fromlist), RangeTblRef) &&
         // A constant for each row is a count of rows.
         contain_vars_of_level((Node*)query->targetList, 0);
}

// Whole rows and what PostgreSQL stores besides are no columns.
bool names_no_column(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, Var)) return ((const Var*)node)->varattno <= 0;
  return walk_expression(node, names_no_column, arg);
}

Oid synthetic_table(const Facade* facade) {
  const Oid schema = get_namespace_oid(NameStr(facade->synthetic_schema), true);
  return OidIsValid(schema) ? get_relname_relid(NameStr(facade->synthetic_name), schema)
                            : InvalidOid;
}

// A column of the table by its name, where it has the facade's type; otherwise NULL.
void append_column(StringInfo text, Oid table, Oid view, AttrNumber column) {
  const char* name = get_attname(view, column, false);
  const AttrNumber there = get_attnum(table, name);
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(view, column, &type, &typmod, &collation);
  const char* value = "NULL";
  if (there > 0 && get_atttype(table, there) == type) value = quote_identifier(name);
  appendStringInfo(
      text, "%sCAST(%s AS %s)%s", column == 1 ? "" : ", ", value,
      format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY),
      OidIsValid(collation) ? psprintf(" COLLATE %s", generate_collation_name(collation)) : "");
}

// The facade's columns of these rows, read with its owner's rights.
Query* rows_for(const Facade* facade, Oid table) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "SELECT ");
  for (AttrNumber column = 1; get_attname(facade->view, column, true) != NULL; column++) {
    append_column(&text, table, facade->view, column);
  }
  appendStringInfo(&text, " FROM %s", qualified_name(table));
  Query* rows = NULL;
  under_own_path([&] {
    RawStmt* statement = linitial_node(RawStmt, raw_parser(text.data, RAW_PARSE_DEFAULT));
    rows = parse_analyze_fixedparams(statement, text.data, NULL, 0, NULL);
  });
  setRuleCheckAsUser((Node*)rows, relation_owner(facade->view));
  return rows;
}

// The facade's entry stays, with the right to it, and is read by nobody.
void read_instead(Query* query, Query* rows) {
  const RangeTblEntry* facade = rt_fetch(1, query->rtable);
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = rows;
  entry->alias = makeAlias(facade->eref->aliasname, NIL);
  entry->eref = (Alias*)copyObjectImpl(facade->eref);
  entry->inFromCl = true;
  query->rtable = lappend(query->rtable, entry);
  ChangeVarNodes((Node*)query->targetList, 1, 2, 0);
  ChangeVarNodes((Node*)query->jointree, 1, 2, 0);
}

// After all that is shown; columns that only sort come last.
void add_mark(Query* query) {
  int place = 0;
  ListCell* cell;
  foreach (cell, query->targetList) {
    if (!lfirst_node(TargetEntry, cell)->resjunk) place++;
  }
  TargetEntry* mark =
      makeTargetEntry((Expr*)makeBoolConst(true, false), 0, pstrdup(kSyntheticColumn), false);
  query->targetList = list_insert_nth(query->targetList, place, mark);
  AttrNumber number = 0;
  foreach (cell, query->targetList) lfirst_node(TargetEntry, cell)->resno = ++number;
}

}  // namespace

const char* synthetic_table_defect(Oid table, Oid owner) {
  const char kind = OidIsValid(table) ? get_rel_relkind(table) : '\0';
  if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) return "It is no table.";
  if (!has_privs_of_role(owner, relation_owner(table))) {
    return "It belongs to another role than the protected table.";
  }
  if (!is_declared_public(table)) {
    return "It is not declared public: SELECT dpmix.declare_public() of it says that its rows may "
           "be seen by everybody, as those of dpmix.synthesize() may.";
  }
  return NULL;
}

bool show_synthetic_rows(Query* query) {
  if (!only_lists_rows(query) || !plain_synthetic_wanted() || !have_facades()) return false;
  const RangeTblEntry* entry = rt_fetch(1, query->rtable);
  if (entry->rtekind != RTE_RELATION || entry->tablesample != NULL) return false;
  const Facade* facade = facade_of_view(entry->relid);
  if (facade == NULL || !facade->rows_synthetic) return false;
  if (names_no_column((Node*)query->targetList, NULL) ||
      names_no_column((Node*)query->jointree, NULL)) {
    return false;
  }
  const Oid table = synthetic_table(facade);
  const char* name = qualified_name(facade->view);
  if (const char* defect = synthetic_table_defect(table, relation_owner(facade->view))) {
    ereport(NOTICE, (errmsg("dpmix: facade %s has no synthetic rows to show", name),
                     errdetail("%s", defect)));
    return false;
  }
  read_instead(query, rows_for(facade, table));
  add_mark(query);
  ereport(NOTICE,
          (errmsg("dpmix: rows of facade %s are synthetic", name),
           errdetail("They are made up: none is a row of the table, and whether one meets a "
                     "condition says nothing of it. Column %s says so of each.",
                     kSyntheticColumn),
           errhint("Ask for aggregates, which are of the table: SELECT count(*) FROM %s.", name)));
  return true;
}

}  // namespace dpmix::pg
