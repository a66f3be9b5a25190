// dpmix_internal.answer: a plain query's private part. The planner puts its calls where aggregates
// over facades stood (rewrite.hpp); it is dpmix.query with typed parameters, at the price that the
// settings of the role that pays and the facades say. It trusts its caller with nothing: whatever
// the text is, it is checked, priced and charged as that of any query.
#include "pg/facade/answer.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/facade/catalog.hpp"
#include "pg/facade/terms_told.hpp"
#include "pg/memory/settings.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/ask.hpp"
#include "pg/query/partial_query.hpp"
#include "pg/query/read/text.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_answer);
}

namespace dpmix::pg {
namespace {

enum Argument { kText, kQuestion, kFacades, kMode, kReal, kParameters };

struct Asked {
  const char* text;
  const char* question;  // NULL: the text
  List* facades;
  AnswerMode mode;
  int real;  // parameters that the question has; those after them are in the text alone
  TypedParameters parameters;
};

// The statement that calls us locked its facades. Anybody else must be allowed to read them.
void lock_facade(Oid view) {
  LOCKTAG tag;
  SET_LOCKTAG_RELATION(tag, MyDatabaseId, view);
  if (holds_lock(tag, AccessShareLock)) return;
  if (get_rel_relkind(view) != RELKIND_VIEW ||
      pg_class_aclcheck(view, GetUserId(), ACL_SELECT) != ACLCHECK_OK) {
    refuse(ErrorCode::query_not_allowed, "dpmix_internal.answer needs facades that it may read",
           psprintf("%u is none.", view), "Ask with an ordinary SELECT over a facade.");
  }
  LockRelationOid(view, AccessShareLock);
}

List* facades_of(ArrayType* array) {
  Datum* views;
  bool* nulls;
  int count;
  deconstruct_array(array, OIDOID, sizeof(Oid), true, TYPALIGN_INT, &views, &nulls, &count);
  List* facades = NIL;
  for (int i = 0; i < count; i++) {
    if (!nulls[i]) facades = lappend_oid(facades, DatumGetObjectId(views[i]));
  }
  return facades;
}

void check_type(int number, Oid type) {
  const Oid element = get_element_type(type);
  if (is_own_type(OidIsValid(element) ? element : type)) return;
  refuse(ErrorCode::query_not_allowed,
         "a value of a user-defined type or domain cannot be compared with a protected table",
         psprintf("$%d of the query is of type %s.", number, format_type_be(type)),
         "Cast it to a built-in type.");
}

TypedParameters parameters_of(FunctionCallInfo fcinfo) {
  TypedParameters out = {};
  out.count = Max(PG_NARGS() - kParameters, 0);
  Oid* type = (Oid*)palloc0(sizeof(Oid) * (out.count + 1));
  Datum* value = (Datum*)palloc0(sizeof(Datum) * (out.count + 1));
  bool* null = (bool*)palloc0(out.count + 1);
  for (int i = 0; i < out.count; i++) {
    type[i] = get_fn_expr_argtype(fcinfo->flinfo, kParameters + i);
    check_type(i + 1, type[i]);
    value[i] = fcinfo->args[kParameters + i].value;
    null[i] = fcinfo->args[kParameters + i].isnull;
  }
  out.type = type;
  out.value = value;
  out.null = null;
  return out;
}

AnswerMode mode_of(const char* word) {
  if (strcmp(word, "aggregates") == 0) return AnswerMode::aggregates;
  if (strcmp(word, "values") == 0) return AnswerMode::values;
  if (strcmp(word, "filtered values") == 0) return AnswerMode::filtered_values;
  refuse_word("mode", word, "aggregates, values or filtered values");
}

// Constants mean the same in any session; expressions of time are those of this one.
const Query* analysed_text(const char* text, TypedParameters parameters, int count,
                           const Query** moving = NULL) {
  parameters.count = count;
  const char* zone = pstrdup(GetConfigOption("TimeZone", false, false));
  const int level = begin_portable_sql();
  set_for_now({"TimeZone", zone});
  const Query* query = analyse_query_text(text, parameters, moving);
  AtEOXact_GUC(false, level);
  return query;
}

// The question stands for the text in memory: its expressions of time, evaluated now, must give the
// text. Anybody may call us, and could else have an answer kept under the question of others. Where
// no time goes by in it, the text says it all.
bool is_its_question(const Asked& asked) {
  const Query* moving;
  const Query* meant = analysed_text(asked.question, asked.parameters, asked.real, &moving);
  return moving != NULL &&
         equal(meant, analysed_text(asked.text, asked.parameters, asked.parameters.count));
}

Asked asked_by(FunctionCallInfo fcinfo) {
  for (int n : {kText, kFacades, kMode, kReal}) require_argument(fcinfo, n);
  Asked asked = {.text = text_argument(fcinfo, kText),
                 .question = text_argument(fcinfo, kQuestion),
                 .facades = facades_of(PG_GETARG_ARRAYTYPE_P(kFacades)),
                 .mode = mode_of(text_argument(fcinfo, kMode)),
                 .real = PG_GETARG_INT32(kReal),
                 .parameters = parameters_of(fcinfo)};
  require_range("parameters of the question", asked.real, 0, asked.parameters.count,
                "They come first.");
  // In the caller's session; the process is told what was found.
  if (asked.question != NULL && !in_release_process() && !is_its_question(asked)) {
    asked.question = NULL;
    fcinfo->args[kQuestion].isnull = true;
  }
  return asked;
}

const Query* analyse_asked(const Asked& asked) {
  return analysed_text(asked.text, asked.parameters, asked.parameters.count);
}

// The question with the values of its parameters: one text.
const char* whole_question(const Asked& asked) {
  if (asked.question == NULL) return NULL;
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfoString(&out, asked.question);
  const int level = begin_portable_sql();
  for (int i = 0; i < asked.real; i++) {
    Oid output;
    bool varlena;
    getTypeOutputInfo(asked.parameters.type[i], &output, &varlena);
    appendStringInfo(&out, "\n$%d::%u = %s", i + 1, asked.parameters.type[i],
                     asked.parameters.null[i] ? "NULL"
                                              : quote_literal_cstr(OidOutputFunctionCall(
                                                    output, asked.parameters.value[i])));
  }
  AtEOXact_GUC(false, level);
  return out.data;
}

QueryCall call_of(const Asked& asked, const PlainTerms& terms) {
  QueryCall call = {.text = asked.text, .epsilon = terms.epsilon, .delta = terms.delta};
  call.discover = terms.discover;
  if (terms.max_groups > 0) call.max_groups = terms.max_groups;
  call.all_blocks = terms.all_blocks;
  if (terms.half_width > 0) call.half_width = terms.half_width;
  call.analysed = analyse_asked(asked);
  call.question = whole_question(asked);
  return call;
}

// The combinations of the public values of the keys: free, and no row is read.
void put_public_values(const Asked& asked, const ResultRows& rows) {
  const CheckedQuery checked = check_query(analyse_asked(asked), false, true);  // reads no row
  if (checked.groups->cube != NULL) {
    refuse_construct("GROUPING SETS, ROLLUP or CUBE without an aggregate is", "Add count(*).");
  }
  const ReleasedColumns* released = checked.shape->released;
  check_columns(released, rows.type);
  const int columns = released->columns;
  Datum* values = (Datum*)palloc0(sizeof(Datum) * columns);
  bool* nulls = (bool*)palloc0(columns);
  for (int group = 0; !checked.groups->none && group < checked.groups->count; group++) {
    for (int i = 0; i < columns; i++) {
      const Expr* made = released->column[i].expression;
      const int key = IsA(made, Var) ? ((const Var*)made)->varattno - 1 : -1;
      nulls[i] = key < 0 || key >= checked.groups->keys;
      if (!nulls[i]) values[i] = key_of(checked.groups, group, key);
    }
    tuplestore_putvalues(rows.store, rows.type, values, nulls);
  }
}

void tell(const char* how, List* lines) {
  ListCell* cell;
  foreach (cell, lines) {
    ereport(NOTICE, (errmsg("dpmix: %s%s", how, (const char*)lfirst(cell))));
  }
}

void refuse_filtered_values() {
  refuse(ErrorCode::query_not_allowed, "which public values occur in some rows only is not public",
         "The query filters rows and has no aggregate.",
         "Leave WHERE out, add count(*), or SET dpmix.keys = 'discover'.");
}

// Its noise, and its price after memory.
List* priced_lines(const PricedQuery* priced) {
  const Recall recalled = recall(priced, false);
  List* lines = noise_lines(priced);
  if (is_free(recalled.verdict)) {
    const bool nothing = recalled.verdict == Remembered::nothing;
    lines = lappend(lines, (void*)(nothing ? "free" : "in memory: free"));
    return list_concat(lines, sight_lines(priced, recalled));
  }
  ListCell* cell;
  foreach (cell, price_lines(priced, recalled.plan, false)) {
    const char* partly = recalled.verdict == Remembered::upgrade ? "partly in memory, " : "";
    lines = lappend(lines, psprintf("%swould charge %s", partly, (const char*)lfirst(cell)));
  }
  return list_concat(lines, sight_lines(priced, recalled));
}

// Of the caller's session, where the settings are. What the query costs goes along to the process.
Datum answer_in_session(FunctionCallInfo fcinfo, const ResultRows& rows) {
  const Asked asked = asked_by(fcinfo);
  ListCell* cell;
  foreach (cell, asked.facades) lock_facade(lfirst_oid(cell));
  if (asked.mode != AnswerMode::aggregates && !plain_keys_discovered()) {
    if (asked.mode == AnswerMode::filtered_values) refuse_filtered_values();
    put_public_values(asked, rows);
    return (Datum)0;
  }
  const PlainTerms terms = plain_terms(asked.facades);
  if (terms.dry_run) {
    const PricedQuery priced = priced_query(call_of(asked, terms));
    check_columns(priced.shape->released, rows.type);
    tell("", priced_lines(&priced));
    return (Datum)0;
  }
  StringInfoData attachment = asked_age_attachment();
  appendBinaryStringInfo(&attachment, (const char*)&terms, sizeof terms);
  return release_rows(fcinfo, rows, &attachment);
}

}  // namespace

List* explained_answer(FunctionCallInfo fcinfo) {
  const Asked asked = asked_by(fcinfo);
  if (asked.mode != AnswerMode::aggregates && !plain_keys_discovered()) {
    return list_make1((void*)"public values: free");
  }
  const PricedQuery priced = priced_query(call_of(asked, plain_terms(asked.facades)));
  return priced_lines(&priced);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_answer(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_answer(fcinfo);
  if (!in_release_process()) return answer_in_session(fcinfo, rows);
  const StringInfoData attachment = order_attachment();
  PlainTerms terms;
  const int before = attachment.len - (int)sizeof terms;  // what memory is asked
  if (before < 0) elog(ERROR, "a plain query came without its terms");
  memcpy(&terms, attachment.data + before, sizeof terms);
  const PricedQuery priced = priced_query(call_of(asked_by(fcinfo), terms));
  check_columns(priced.shape->released, rows.type);
  List* price = NIL;  // known before the charge: nothing that may fail comes after it
  answer_query(
      &priced,
      [&](const Datum* values, const bool* nulls) {
        tuplestore_putvalues(rows.store, rows.type, (Datum*)values, (bool*)nulls);
      },
      [&](const Recall& recalled) {
        if (!message_level_is_interesting(NOTICE)) return;
        price = price_lines(&priced, recalled.plan, true);
      });
  tell("charged ", price);
  return (Datum)0;
}
}
