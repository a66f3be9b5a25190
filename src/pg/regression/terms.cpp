#include "pg/regression/terms.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_states.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/query/layers/layered.hpp"
#include "pg/query/partial_query.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/sysattr.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

namespace dpmix::pg {
namespace {

constexpr const char* kWhatTermsAre =
    "Write each as one column or one expression over columns of the table: 'education', "
    "'ln(wage)', 'experience ^ 2', 'region = ''west'''.";

struct Reader {
  const ProtectedTable* table;
  RowScope scope;
  Bitmapset *by_target, *by_terms;  // columns that are read
};

bool is_one_expression(const Query* query, const ProtectedTable* table) {
  const bool clauses =
      query->commandType != CMD_SELECT || query->utilityStmt != NULL || query->cteList != NIL ||
      query->setOperations != NULL || query->hasAggs || query->hasWindowFuncs ||
      query->hasTargetSRFs || query->hasSubLinks || query->groupClause != NIL ||
      query->groupingSets != NIL || query->havingQual != NULL || query->windowClause != NIL ||
      query->distinctClause != NIL || query->sortClause != NIL || query->limitCount != NULL ||
      query->limitOffset != NULL || query->rowMarks != NIL;
  if (clauses || list_length(query->rtable) != 1 || list_length(query->targetList) != 1 ||
      list_length(query->jointree->fromlist) != 1 || query->jointree->quals != NULL) {
    return false;
  }
  const RangeTblEntry* from = linitial_node(RangeTblEntry, query->rtable);
  if (table->made != NULL) {  // the text's own FROM would be a second one
    return from->rtekind == RTE_SUBQUERY && from->subquery->rtable == NIL;
  }
  return from->rtekind == RTE_RELATION && from->relid == table->relation && from->inh &&
         from->tablesample == NULL;
}

// The text as an analysed expression, whose columns are of table 1.
Node* analysed_term(Reader* reader, const char* text) {
  Query* query = analyse_query_text(
      psprintf("SELECT (\n%s\n) FROM %s", text, asked_from_of_text(reader->table)), NULL);
  if (!is_one_expression(query, reader->table)) {
    refuse_argument(psprintf("\"%s\" is not one expression over a row", text), NULL, kWhatTermsAre);
  }
  if (reader->table->made != NULL) use_computed_types(query, &reader->scope);
  reader->scope.query = query;
  return (Node*)linitial_node(TargetEntry, query->targetList)->expr;
}

// The column below casts that keep every number; NULL.
const Var* column_below(const Node* node) {
  while (IsA(node, FuncExpr) && is_widening_cast(((const FuncExpr*)node)->funcid)) {
    node = (const Node*)linitial(((const FuncExpr*)node)->args);
  }
  return IsA(node, Var) ? (const Var*)node : NULL;
}

struct Power {
  AttrNumber column;  // InvalidAttrNumber: it is none
  int power;
};

Power power_of(const Node* node) {
  const Power none = {InvalidAttrNumber, 0};
  if (!IsA(node, OpExpr) || list_length(((const OpExpr*)node)->args) != 2) return none;
  const OpExpr* call = (const OpExpr*)node;
  if (get_func_namespace(get_opcode(call->opno)) != PG_CATALOG_NAMESPACE) return none;
  const Node *left = (const Node*)linitial(call->args), *right = (const Node*)lsecond(call->args);
  const Var *column = column_below(left), *other = column_below(right);
  if (column == NULL || !is_number(column->vartype)) return none;
  const char* name = get_opname(call->opno);
  if (strcmp(name, "*") == 0 && other != NULL && other->varattno == column->varattno) {
    return {column->varattno, 2};
  }
  if (strcmp(name, "^") != 0 || !is_constant(right) || !is_number(exprType(right))) return none;
  const double power = float8_of((const Const*)right);
  if (power != 2 && power != 3 && power != 4) return none;
  return {column->varattno, (int)power};
}

// Columns of r.
List* names_of(const Reader* reader) {
  if (reader->table->made == NULL) return deparse_context_for("r", reader->table->relation);
  PlannedStmt* plan = makeNode(PlannedStmt);  // that has nothing but a list of tables
  plan->rtable = reader->scope.query->rtable;
  return deparse_context_for_plan_tree(plan, list_make1(pstrdup("r")));
}

// The text of a safe expression as it means the same in any session.
const char* safe_text(const Reader* reader, Expr* expression) {
  const int level = begin_portable_sql();
  const char* text = pstrdup(deparse_expression((Node*)expression, names_of(reader), true, false));
  AtEOXact_GUC(false, level);
  return text;
}

RegressionTerm column_term(const Reader* reader, const char* name, const Var* column) {
  Datum attribute =
      DirectFunctionCall1(namein, CStringGetDatum(asked_name(reader->table, column->varattno)));
  ArrayType* one = construct_array(&attribute, 1, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
  const ModelColumns* read =
      model_columns(reader->table, one, 1, NULL, FeatureKinds::numbers_and_categories);
  RegressionTerm term = {};
  term.name = name;
  term.coding.lower = read->lower[0];
  term.coding.upper = read->upper[0];
  if (read->type[0] == BOOLOID) {  // 0 and 1, whether or not it has categories
    term.sql = float8_sql(BOOLOID, psprintf("r.%s", quote_identifier(read->name[0])));
    return term;
  }
  term.coding.categories = read->categories[0];
  term.coding.kind = read->categories[0] > 0 ? TermKind::category : TermKind::number;
  term.category = read->category_texts[0];
  StringInfoData sql;
  initStringInfo(&sql);
  append_feature(&sql, read, 0);
  term.sql = sql.data;
  return term;
}

// 1 where it holds, 0 where it does not, NULL where that is not known.
RegressionTerm condition_term(const Reader* reader, const char* name, Node* condition) {
  Expr* holds = (Expr*)safe_condition(&reader->scope, condition);
  Expr* is_false = makeBoolExpr(NOT_EXPR, list_make1(copyObjectImpl(holds)), -1);
  Expr* number =
      case_when(holds, (Expr*)float8_constant(1), case_when(is_false, (Expr*)float8_constant(0)));
  return {.coding = {}, .name = name, .sql = safe_text(reader, number), .category = NULL};
}

RegressionTerm read_term(Reader* reader, const char* text, Bitmapset** columns, Power* power) {
  Node* node = analysed_term(reader, text);
  pull_varattnos(node, 1, columns);
  *power = power_of(node);
  if (columns_of(node) == NIL) {
    refuse_argument(psprintf("\"%s\" reads no column", text),
                    "It is the same for all rows, as the intercept is, which is always there.",
                    kWhatTermsAre);
  }
  if (IsA(node, Var) && ((Var*)node)->varattno > 0) {
    return column_term(reader, text, (const Var*)node);
  }
  if (exprType(node) == BOOLOID) return condition_term(reader, text, node);
  const SafeNumber number = safe_number(&reader->scope, node, "release_regression");
  RegressionTerm term = {};
  term.name = text;
  term.coding.lower = number.lower;
  term.coding.upper = number.upper;
  term.sql = safe_text(reader, number.value);
  return term;
}

// A power whose lower ones stand before it needs no number of its own.
void code_power(RegressionTerms* terms, const Power* powers, int i) {
  const Power power = powers[i];
  if (power.power == 0) return;
  int lower = 0, base = -1;
  for (int j = 0; j < i; j++) {
    if (powers[j].column != power.column) continue;
    const DesignTerm& coding = terms->term[j].coding;
    if (powers[j].power == 1 && coding.kind == TermKind::number) base = base < 0 ? j : base;
    if (coding.kind != TermKind::power) continue;
    if (coding.power == power.power) return;  // twice: a ridge will tell
    lower++;
  }
  if (base < 0 || lower != power.power - 2) return;
  terms->term[i].coding = {};
  terms->term[i].coding.kind = TermKind::power;
  terms->term[i].coding.base = base;
  terms->term[i].coding.power = power.power;
  terms->term[i].sql = NULL;
}

ModelColumns* read_columns(const Reader* reader, const char* label) {
  ModelColumns* columns = model_columns(reader->table, NULL, 0, label);
  if (label != NULL &&
      bms_is_member(asked_column(reader->table, label) - FirstLowInvalidHeapAttributeNumber,
                    reader->by_terms)) {
    refuse_argument(psprintf("label \"%s\" is read by a term too", label),
                    "It is the same for all rows of a class.",
                    "Leave it out of the terms, or make it one: then do without a label.");
  }
  const int count = bms_num_members(reader->by_terms);
  columns->name = (const char**)palloc(sizeof(char*) * count);
  columns->type = (Oid*)palloc(sizeof(Oid) * count);
  columns->lower = (double*)palloc(sizeof(double) * count);
  columns->upper = (double*)palloc(sizeof(double) * count);
  for (int member = -1; (member = bms_next_member(reader->by_terms, member)) >= 0;) {
    const AttrNumber column = (AttrNumber)(member + FirstLowInvalidHeapAttributeNumber);
    const int i = columns->features++;
    columns->name[i] = asked_name(reader->table, column);
    columns->type[i] = getBaseType(asked_type(reader->table, column));
    const ColumnDomain domain = column_domain(reader->table, column);
    columns->lower[i] = domain.has_bounds ? domain.lower : -get_float8_infinity();
    columns->upper[i] = domain.has_bounds ? domain.upper : get_float8_infinity();
  }
  return columns;
}

// Whether the label is all that differs between neighbours, and only the target looks at it. Of a
// generated column of it nothing is read: PV005.
bool is_target_alone(const Reader* reader, const char* label) {
  const ProtectedTable* table = reader->table;
  if (table->adjacency != Adjacency::label) return false;
  Bitmapset* all = bms_union(reader->by_target, reader->by_terms);
  for (int member = -1; (member = bms_next_member(all, member)) >= 0;) {
    const AttrNumber column = (AttrNumber)(member + FirstLowInvalidHeapAttributeNumber);
    if (column > 0) check_generated(table, column, get_attname(table->relation, column, false));
  }
  const int protected_column = table->label - FirstLowInvalidHeapAttributeNumber;
  const bool of_class = label != NULL && get_attnum(table->relation, label) == table->label;
  const bool of_terms = bms_is_member(protected_column, reader->by_terms);
  const bool of_target = bms_is_member(protected_column, reader->by_target);
  // What is read: not by the label, nor by a column that may be made of it.
  const AttrNumber block = table->blocks.column;
  const bool of_block = has_blocks(table->blocks) &&
                        (block == table->label || get_attgenerated(table->relation, block) != '\0');
  if (!of_class && !of_terms && !of_target) {
    const char* name = get_attname(table->relation, table->label, false);
    refuse_argument("the regression does not look at what the table protects",
                    psprintf("Under adjacency label all columns but \"%s\" are public.", name),
                    psprintf("Use \"%s\" in the target, in a term or as the label.", name));
  }
  // Units of several rows, whose index is gone: all of a row may differ.
  return of_target && !of_class && !of_terms && !of_block && !table->samples_units;
}

void append_coded_row(StringInfo sql, const RegressionTerms* terms, const double* coding,
                      int count) {
  appendStringInfoString(sql, "dpmix_internal.regression_row(dpmix_internal.row_vector(");
  for (int i = 0; i < terms->count; i++) {
    if (terms->term[i].sql != NULL) appendStringInfo(sql, "%s, ", terms->term[i].sql);
  }
  appendStringInfo(sql, terms->target_alone ? "COALESCE(%s, 'NaN'::pg_catalog.float8)" : "%s",
                   terms->target.sql);
  appendStringInfoString(sql, "), '{");
  for (int i = 0; i < count; i++) {
    appendStringInfo(sql, "%s%.17g", i > 0 ? "," : "", coding[i]);
  }
  appendStringInfoString(sql, "}'::pg_catalog.float8[])");
}

}  // namespace

RegressionTerms* regression_terms(const ProtectedTable* table, const char* target, ArrayType* names,
                                  const char* label) {
  Datum* texts;
  bool* nulls;
  int count;
  deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &count);
  if (ARR_NDIM(names) > 1 || count < 1 || count > Design::most_columns) {
    refuse_argument("a regression has 1 to 99 terms", psprintf("terms has %d elements.", count),
                    kWhatTermsAre);
  }
  QuerySource source = {1, table->relation, table, table->owner, NULL};
  QuerySources sources = {1, &source, table, NULL};
  RowBytes bytes = {};
  Reader reader = {table, {}, NULL, NULL};
  reader.scope.sources = table->made != NULL ? table->made->scope->sources : &sources;
  reader.scope.bytes = &bytes;
  RegressionTerms* terms = (RegressionTerms*)palloc0(sizeof(RegressionTerms));
  Power* powers = (Power*)palloc0(sizeof(Power) * count);
  terms->count = count;
  terms->term = (RegressionTerm*)palloc0(sizeof(RegressionTerm) * count);
  for (int i = 0; i < count; i++) {
    if (nulls[i]) refuse_argument("a term is NULL", NULL, kWhatTermsAre);
    terms->term[i] =
        read_term(&reader, TextDatumGetCString(texts[i]), &reader.by_terms, &powers[i]);
    const Node* node = (Node*)linitial_node(TargetEntry, reader.scope.query->targetList)->expr;
    if (IsA(node, Var)) powers[i] = {((const Var*)node)->varattno, 1};
    code_power(terms, powers, i);
  }
  Power none;
  terms->target = read_term(&reader, target, &reader.by_target, &none);
  if (terms->target.coding.kind == TermKind::category) {
    refuse_argument("the target is not a number", psprintf("Column %s has categories.", target),
                    "Name a number, a boolean, or a condition such as 'answer = ''yes'''.");
  }
  terms->target_alone = is_target_alone(&reader, label);
  terms->columns = read_columns(&reader, label);
  need_memory(bytes.staying + bytes.passing);
  return terms;
}

Design design_of(const RegressionTerms* terms) {
  Design design;
  for (int i = 0; i < terms->count; i++) design.terms.push_back(terms->term[i].coding);
  design.target_lower = terms->target.coding.lower;
  design.target_upper = terms->target.coding.upper;
  design.keeps_missing_target = terms->target_alone;
  design.check();
  return design;
}

const char* moments_sql(const char* aggregate, const ProtectedTable* table,
                        const RegressionTerms* terms, const double* coding, int count) {
  StringInfoData sql;
  initStringInfo(&sql);
  const bool sharded = has_shards(table->relation);
  appendStringInfoString(&sql, "SELECT ");
  begin_statistic(&sql, aggregate, sharded);
  append_class(&sql, terms->columns);
  appendStringInfoString(&sql, ", ");
  append_coded_row(&sql, terms, coding, count);
  appendStringInfoString(&sql, ", $1");
  end_statistic(&sql, aggregate, sharded);
  appendStringInfo(&sql, " FROM %s AS r", asked_from(table));
  return sql.data;
}

const char* coded_rows_sql(const ProtectedTable* table, const RegressionTerms* terms,
                           const double* coding, int count) {
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "SELECT ");
  append_coded_row(&sql, terms, coding, count);
  appendStringInfo(&sql, " FROM %s AS r", asked_from(table));
  return sql.data;
}

}  // namespace dpmix::pg
