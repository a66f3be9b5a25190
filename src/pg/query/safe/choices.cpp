#include "pg/query/safe/choices.hpp"

#include "pg/border/compat.hpp"
#include "pg/query/safe/comparisons.hpp"
#include "pg/query/safe/labels.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/safe/text_lengths.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

bool is_null(const SafePart* part) {
  return IsA(part->value, Const) && ((const Const*)part->value)->constisnull;
}

IntervalShape hull(const IntervalShape& a, const IntervalShape& b) {
  return {hull(a.months, b.months), hull(a.days, b.days), a.justified && b.justified};
}

// What holds any of some parts of one type in the query: their values are made of one type again.
SafePart any_of(SafePart* part, int count) {
  SafePart all = plain_part(NULL);
  all.short_text = all.present = true;
  all.characters = all.bytes = 0;
  all.range = point(0);
  bool first = true;
  for (int i = 0; i < count; i++) {
    all.recompiled = all.recompiled || part[i].recompiled;
    all.short_text = all.short_text && part[i].short_text;
    all.present = all.present && part[i].present;
    all.characters = Max(all.characters, part[i].characters);
    all.bytes = Max(all.bytes, part[i].bytes);
    if (is_null(&part[i])) continue;
    all.range = first ? part[i].range : hull(all.range, part[i].range);
    all.interval = first ? part[i].interval : hull(all.interval, part[i].interval);
    all.length = first ? counted_length(&part[i]) : hull(all.length, counted_length(&part[i]));
    first = false;
  }
  for (int i = 0; all.recompiled && i < count; i++) part[i].value = number_of(&part[i]);
  return all;
}

constexpr Oid kEnumEquals = 3516;  // anyenum = anyenum

SafePart unclamped(SafeCompiler* compiler, Node* node) {
  const ColumnsAs columns = compiler->columns;
  compiler->columns = ColumnsAs::stored;
  const SafePart part = safe_part(compiler, node);
  compiler->columns = columns;
  return part;
}

// What CASE compares, in a condition that is looked at outside of it.
Node* without_test(Node* node, void* tested) {
  if (node == NULL) return NULL;
  if (IsA(node, CaseTestExpr)) return (Node*)copyObjectImpl(((const SafePart*)tested)->value);
  return mutate_expression(node, without_test, tested);
}

// A result is computed of rows alone for which its condition is true.
SafePart branch_part(SafeCompiler* compiler, const CaseWhen* when, const SafePart* tested,
                     Node* result) {
  Node* condition = (Node*)when->expr;
  if (tested != NULL) condition = without_test(condition, (void*)tested);
  List* facts = list_concat(list_copy(compiler->scope->branch), joined_by_and(condition));
  return under_facts(compiler->scope, facts, [&] { return safe_part(compiler, result); });
}

}  // namespace

SafePart case_part(SafeCompiler* compiler, const CaseExpr* node) {
  CaseExpr* made = (CaseExpr*)copyObjectImpl(node);
  const SafePart* outer = compiler->tested;
  SafePart tested;
  if (node->arg != NULL) {
    tested = unclamped(compiler, (Node*)node->arg);
    made->arg = tested.value;
  }
  const int count = list_length(node->args) + 1;
  SafePart* result = (SafePart*)palloc0(sizeof(SafePart) * count);
  for (int i = 0; i < count - 1; i++) {
    CaseWhen* when = list_nth_node(CaseWhen, made->args, i);
    compiler->tested = node->arg != NULL ? &tested : NULL;
    when->expr = unclamped(compiler, (Node*)when->expr).value;
    compiler->tested = outer;
    result[i] =
        branch_part(compiler, when, node->arg != NULL ? &tested : NULL, (Node*)when->result);
  }
  Node* otherwise = (Node*)node->defresult;
  if (otherwise == NULL) otherwise = (Node*)makeNullConst(node->casetype, -1, node->casecollid);
  result[count - 1] = safe_part(compiler, otherwise);
  SafePart part = any_of(result, count);
  for (int i = 0; i < count - 1; i++) {
    list_nth_node(CaseWhen, made->args, i)->result = result[i].value;
  }
  made->defresult = result[count - 1].value;
  if (part.recompiled) made->casetype = FLOAT8OID;
  part.value = (Expr*)made;
  return part;
}

// What CASE compares: of the type that it was compiled to.
SafePart tested_part(const SafeCompiler* compiler, const CaseTestExpr* node) {
  if (compiler->tested == NULL) elog(ERROR, "nothing is tested here");
  CaseTestExpr* made = (CaseTestExpr*)copyObjectImpl(node);
  SafePart part = *compiler->tested;
  made->typeId = exprType((Node*)part.value);
  made->typeMod = exprTypmod((Node*)part.value);
  part.value = (Expr*)made;
  part.short_text = part.present = false;
  return part;
}

// CASE WHEN a = b THEN NULL ELSE a END: compared as it is, so that what a code stands for can be
// left out although it is beyond the bounds.
SafePart nullif_part(SafeCompiler* compiler, const OpExpr* node) {
  OpExpr* same = (OpExpr*)copyObjectImpl(node);
  ((Node*)same)->type = T_OpExpr;
  same->opresulttype = BOOLOID;
  SafePart result = safe_part(compiler, (Node*)linitial(node->args));
  result.value = case_when(unclamped(compiler, (Node*)same).value, nullptr, result.value);
  result.present = false;
  return result;
}

SafePart coalesce_part(SafeCompiler* compiler, const CoalesceExpr* node) {
  CoalesceExpr* made = (CoalesceExpr*)copyObjectImpl(node);
  const int count = list_length(node->args);
  SafePart* part = parts_of(compiler, node->args);
  SafePart all = any_of(part, count);
  made->args = values_of(part, count);
  if (all.recompiled) made->coalescetype = FLOAT8OID;
  all.value = (Expr*)made;
  return all;
}

// CASE x WHEN 'a' THEN 'a' ...: no row looks anything up in a catalog.
bool label_part(SafeCompiler* compiler, const CoerceViaIO* node, SafePart* made) {
  const Oid type = exprType((Node*)node->arg);
  const bool text = node->resulttype == TEXTOID || node->resulttype == VARCHAROID;
  if (!text || get_typtype(type) != TYPTYPE_ENUM || !IsA(node->arg, Var)) return false;
  Expr* value = safe_part(compiler, (Node*)node->arg).value;
  CaseExpr* choice = makeNode(CaseExpr);
  choice->casetype = node->resulttype;
  choice->casecollid = node->resultcollid;
  choice->location = -1;
  const EnumLabels labels = labels_of(type);
  for (int i = 0; i < labels.count; i++) {
    CaseWhen* when = makeNode(CaseWhen);
    when->expr = comparison(kEnumEquals, (Expr*)copyObjectImpl(value),
                            (Expr*)constant(type, InvalidOid, labels.value[i]));
    when->result =
        (Expr*)constant(node->resulttype, node->resultcollid, CStringGetTextDatum(labels.text[i]));
    when->location = -1;
    choice->args = lappend(choice->args, when);
  }
  choice->defresult = (Expr*)makeNullConst(node->resulttype, -1, node->resultcollid);
  *made = plain_part((Expr*)choice);
  made->short_text = true;
  made->characters = made->bytes = NAMEDATALEN;
  return true;
}

SafePart extreme_part(SafeCompiler* compiler, const MinMaxExpr* node) {
  const bool greatest = node->op == IS_GREATEST;
  if (!has_total_order(node->minmaxtype, node->inputcollid)) {
    refuse_construct(
        psprintf("%s of this type or collation is", greatest ? "GREATEST" : "LEAST"),
        "Use numbers, dates, time stamps, booleans, uuids, enums, or texts with COLLATE \"C\".");
  }
  MinMaxExpr* made = (MinMaxExpr*)copyObjectImpl(node);
  const int count = list_length(node->args);
  SafePart* part = parts_of(compiler, node->args);
  order_texts(compiler->scope, part, count);
  ExtremeArgument* argument = (ExtremeArgument*)palloc0(sizeof(ExtremeArgument) * count);
  int arguments = 0;
  bool present = false;
  for (int i = 0; i < count; i++) {
    if (!is_null(&part[i])) argument[arguments++] = {part[i].range, part[i].present};
    present = present || part[i].present;
  }
  SafePart all = any_of(part, count);
  // Intervals of months stand in another order than their seconds.
  const bool ordered = node->minmaxtype != INTERVALOID || all.interval.months == point(0);
  if (arguments > 0 && ordered) {
    const std::span<const ExtremeArgument> list{argument, (size_t)arguments};
    all.range = greatest ? greatest_of(list) : least_of(list);
  }
  all.present = !greatest && present;  // a NaN is the greatest
  made->args = values_of(part, count);
  if (all.recompiled) {
    made->minmaxtype = FLOAT8OID;
    made->minmaxcollid = made->inputcollid = InvalidOid;
  }
  all.value = (Expr*)made;
  return all;
}

}  // namespace dpmix::pg
