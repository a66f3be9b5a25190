// dpmix_internal.answer: a plain query's private part. The planner puts its calls where aggregates
// over facades stood (rewrite.hpp); it is dpmix.query with typed parameters, at the price that the
// settings of the role that pays and the facades say. It trusts its caller with nothing: whatever
// the text is, it is checked, priced and charged as that of any query.
#include "pg/facade/answer.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/facade/answer_rows.hpp"
#include "pg/facade/terms_told.hpp"
#include "pg/memory/settings.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/ask.hpp"
#include "pg/query/partial/exact_query.hpp"
#include "pg/query/preview/answer_error.hpp"
#include "pg/query/price/bounded_totals.hpp"
#include "pg/query/read/temporary_tables.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/statistics/shards.hpp"
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

enum Argument { kText, kQuestion, kFacades, kMode, kReal, kWidths, kParameters };

struct Asked {
  const char* text;
  const char* question;  // NULL: the text
  List* facades;
  AnswerMode mode;
  int real;  // parameters that the question has; those after them are in the text alone
  bool widths;
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

// The text names tables as they were called when the statement was planned.
const Query* analysed_now(const char* text, const TypedParameters& parameters,
                          const Query** moving) {
  MemoryContext context = CurrentMemoryContext;
  const Query* volatile query = NULL;
  PG_TRY();
  { query = analyse_query_text(text, parameters, moving); }
  PG_CATCH();
  {
    if (geterrcode() != ERRCODE_UNDEFINED_TABLE) PG_RE_THROW();
    MemoryContextSwitchTo(context);
    FlushErrorState();
  }
  PG_END_TRY();
  if (query != NULL) return query;
  refuse(ErrorCode::ledger_unavailable, "the table of a facade is gone",
         "It left its name, or was dropped, while the statement waited. Nothing was charged.",
         "Ask again.");
}

// Constants mean the same in any session; expressions of time are those of this one.
const Query* analysed_text(const char* text, TypedParameters parameters, int count,
                           const Query** moving = NULL) {
  parameters.count = count;
  const char* zone = pstrdup(GetConfigOption("TimeZone", false, false));
  const int level = begin_portable_sql();
  set_for_now({"TimeZone", zone});
  const Query* query = analysed_now(text, parameters, moving);
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
  for (int n : {kText, kFacades, kMode, kReal, kWidths}) require_argument(fcinfo, n);
  Asked asked = {.text = text_argument(fcinfo, kText),
                 .question = text_argument(fcinfo, kQuestion),
                 .facades = facades_of(PG_GETARG_ARRAYTYPE_P(kFacades)),
                 .mode = mode_of(text_argument(fcinfo, kMode)),
                 .real = PG_GETARG_INT32(kReal),
                 .widths = PG_GETARG_BOOL(kWidths),
                 .parameters = parameters_of(fcinfo)};
  require_range("parameters of the question", asked.real, 0, asked.parameters.count,
                "They come first.");
  // This runs in the caller's session; the process is told what was found.
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
  call.keys = terms.keys;
  if (terms.max_groups > 0) call.max_groups = terms.max_groups;
  if (terms.max_rows > 0) call.max_rows = terms.max_rows;
  call.all_blocks = terms.all_blocks;
  if (terms.half_width > 0) call.half_width = terms.half_width;
  call.intervals = asked.widths || terms.suppress > 0;
  call.group_rows = terms.group_rows;
  call.analysed = analyse_asked(asked);
  call.question = whole_question(asked);
  return call;
}

// The combinations of the public values of the keys: free, and no row is read.
void put_public_values(const CheckedQuery& checked, const ResultRows& rows) {
  if (checked.groups->cube != NULL) {
    refuse_construct("GROUPING SETS, ROLLUP or CUBE without an aggregate is", "Add count(*).");
  }
  const ReleasedColumns* released = checked.shape->released;
  const AnswerRows answer = answer_rows(released, &rows);
  const int columns = released->columns;
  Datum* values = (Datum*)palloc0(sizeof(Datum) * columns);
  bool* nulls = (bool*)palloc0(columns);
  for (int group = 0; !checked.groups->none && group < checked.groups->count; group++) {
    for (int i = 0; i < columns; i++) {
      const Expr* made = released->column[i].expression;
      const int key = IsA(made, Var) ? ((const Var*)made)->varattno - 1 : -1;
      const bool is_key = key >= 0 && key < checked.groups->keys;
      const NullableDatum value =
          is_key ? key_of(checked.groups, group, key) : NullableDatum{0, true};
      values[i] = value.value;
      nulls[i] = value.isnull;
    }
    put_answer_row(answer, values, nulls, NULL);
  }
}

void tell(List* lines) {
  ListCell* cell;
  foreach (cell, lines) ereport(NOTICE, (errmsg("dpmix: %s", (const char*)lfirst(cell))));
}

// What was charged, and how far each column may be off; of an answer from memory the latter alone.
void tell_of_answer(const PricedQuery* priced, const List* price, const ColumnIntervals* columns) {
  const char* widths = columns == NULL ? NULL : widths_text(columns);
  const char* other = more_accurate_text(priced);
  if (price == NIL && widths != NULL) {
    ereport(NOTICE, (errmsg("dpmix: 95%% intervals: %s", widths)));
  }
  const ListCell* cell;
  foreach (cell, price) {
    ereport(NOTICE, (errmsg("dpmix: charged %s", (const char*)lfirst(cell)),
                     widths != NULL ? errdetail("95%% intervals: %s.", widths) : 0,
                     other != NULL ? errhint("SET dpmix.delta = 0: %s.", other) : 0));
  }
}

// Who says that groups are declared ones gets all of these, here as beside an aggregate.
void require_all_values(const GroupsAsked& groups) {
  if (groups.keys == KeysAsked::declared) {
    ereport(NOTICE, (errmsg("dpmix: these are the declared values, whether rows have them or not"),
                     errdetail("dpmix.keys is 'declared', and the query has no aggregate.")));
    return;
  }
  refuse(
      ErrorCode::query_not_allowed, "which public values occur in some rows only is not public",
      "The query filters rows and has no aggregate.",
      "Leave WHERE out, add count(*), or SET dpmix.keys = 'discover'; 'declared' for all values.");
}

// A query of keys without aggregates whose values are public; no row is read. NULL: it is another
// query, or its groups are discovered.
const CheckedQuery* public_list(const Asked& asked) {
  if (asked.mode == AnswerMode::aggregates) return NULL;
  const GroupsAsked groups = plain_groups(asked.facades);
  if (groups.keys == KeysAsked::discovered) return NULL;
  CheckedQuery* checked = (CheckedQuery*)palloc(sizeof(CheckedQuery));
  *checked = check_query(analyse_asked(asked), {groups, true});
  if (checked->groups->discovered) return NULL;
  if (asked.mode == AnswerMode::filtered_values) require_all_values(groups);
  return checked;
}

// Its noise, and its price after memory.
List* priced_lines(const PricedQuery* priced, const PlainTerms& terms,
                   const char* all_shown = NULL) {
  const Recall recalled = recall(priced, false);
  const bool suppressed = terms.suppress > 0 && all_shown == NULL;
  List* lines = layer_lines(priced);
  lines = list_concat(lines, noise_lines(priced, suppressed ? " before suppression" : ""));
  lines = list_concat(lines, bound_lines(priced));
  if (const char* tasks = tasks_text(priced->scope.sources)) {
    lines = lappend(lines, psprintf("computed by Citus, %s", tasks));
  }
  if (terms.suppress > 0 && all_shown != NULL) {
    lines =
        lappend(lines, psprintf("dpmix.suppress hides no cell of the statement: %s", all_shown));
  }
  if (suppressed) {
    lines = lappend(lines, psprintf("cells with a 95%% interval wider than %.6g%% of them are NULL "
                                    "in the statement's columns",
                                    100 * terms.suppress));
  }
  if (is_free(recalled.verdict)) {
    const bool nothing = recalled.verdict == Remembered::nothing;
    lines = lappend(lines, (void*)(nothing ? "free" : "in memory: free"));
    return list_concat(lines, sight_lines(priced, recalled));
  }
  if (const char* other = more_accurate_text(priced)) {
    lines = lappend(lines, psprintf("with dpmix.delta = 0 %s", other));
  }
  ListCell* cell;
  foreach (cell, price_lines(priced, recalled.plan, false)) {
    const char* partly = recalled.verdict == Remembered::upgrade ? "partly in memory, " : "";
    lines = lappend(lines, psprintf("%swould charge %s", partly, (const char*)lfirst(cell)));
  }
  return list_concat(lines, sight_lines(priced, recalled));
}

StringInfoData tables_sent(const Asked& asked) {
  const int level = begin_portable_sql();
  const StringInfoData tables = temporary_tables_in(asked.text);
  AtEOXact_GUC(false, level);
  return tables;
}

// Called in the caller's session, where the settings are. What the query costs goes along to the
// process.
Datum answer_in_session(FunctionCallInfo fcinfo, const ResultRows& rows) {
  const Asked asked = asked_by(fcinfo);
  ListCell* cell;
  foreach (cell, asked.facades) lock_facade(lfirst_oid(cell));
  if (const CheckedQuery* list = public_list(asked)) {
    put_public_values(*list, rows);
    return (Datum)0;
  }
  const PlainTerms terms = plain_terms(asked.facades);
  if (terms.dry_run) {
    const PricedQuery priced = priced_query(call_of(asked, terms));
    (void)answer_rows(priced.shape->released, &rows);
    tell(priced_lines(&priced, terms));
    return (Datum)0;
  }
  StringInfoData attachment = asked_age_attachment();
  appendBinaryStringInfo(&attachment, (const char*)&terms, sizeof terms);
  const StringInfoData tables = tables_sent(asked);
  return release_rows(fcinfo, rows, &attachment, &tables);
}

}  // namespace

List* explained_answer(FunctionCallInfo fcinfo, const char* all_shown) {
  const Asked asked = asked_by(fcinfo);
  if (public_list(asked) != NULL) return list_make1((void*)"public values: free");
  const PlainTerms terms = plain_terms(asked.facades);
  const PricedQuery priced = priced_query(call_of(asked, terms));
  return priced_lines(&priced, terms, all_shown);
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
  const Asked asked = asked_by(fcinfo);
  const PricedQuery priced = priced_query(call_of(asked, terms));
  const AnswerRows answer = answer_rows(priced.shape->released, &rows);
  List* price = NIL;  // known before the charge: nothing that may fail comes after it
  const bool told = message_level_is_interesting(NOTICE);
  const bool measured = told || asked.widths || terms.suppress > 0;
  ColumnIntervals* columns = NULL;
  answer_query(
      &priced,
      [&](const Datum* values, const bool* nulls) {
        put_answer_row(answer, values, nulls, columns);
      },
      [&](const Recall& recalled) {
        if (told) price = price_lines(&priced, recalled.plan, true);
      },
      measured ? &columns : NULL);
  if (told) tell_of_answer(&priced, price, columns);
  return (Datum)0;
}
}
