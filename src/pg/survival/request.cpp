#include "pg/survival/request.hpp"

#include <cmath>

#include "core/survival/model.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/release/asked_table.hpp"
#include "pg/release/stored.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

enum Argument {
  kName,
  kRelation,
  kDuration,
  kEvent,
  kEpsilon,
  kDelta,
  kBy,
  kBins,
  kUntil,
  kCensored,
  kCondition,
  kSource
};

constexpr int kUsualBins = 20;

AttrNumber column_argument(const ProtectedTable* table, const char* name) {
  const AttrNumber column = asked_column(table, name);
  if (column == InvalidAttrNumber) {
    refuse_argument(psprintf("column \"%s\" does not exist", name),
                    table->made != NULL ? "The source selects no column of that name."
                                        : psprintf("Table %s has no such column.", table->name),
                    "Name columns of the table, or of the source.");
  }
  return column;
}

void require_distinct(const SurvivalCall& call) {
  const bool by_is_new =
      call.by == NULL || (strcmp(call.by, call.duration) != 0 && strcmp(call.by, call.event) != 0);
  if (strcmp(call.duration, call.event) != 0 && by_is_new) return;
  refuse_argument("duration, event and by are the same column",
                  "Each is about something else: how long, how it ended, and of whom.",
                  "Name three columns, or leave out by.");
}

void require_number(const ProtectedTable* table, AttrNumber column, const char* name) {
  const Oid type = getBaseType(asked_type(table, column));
  if (is_number(type)) return;
  refuse_argument(psprintf("a duration is a number, and \"%s\" is not", name),
                  psprintf("It is of type %s.", format_type_be(type)),
                  "Name a column of days, months or years since each person's begin; a source "
                  "can compute it: source => $$SELECT patient_id, max(left_on - came_on) AS days, "
                  "...$$.");
}

double until_argument(FunctionCallInfo fcinfo, const ProtectedTable* table, AttrNumber column) {
  double until;
  if (!PG_ARGISNULL(kUntil)) {
    until = PG_GETARG_FLOAT8(kUntil);
  } else {
    until = (table->made != NULL ? table->made->bounds(table->made, column)
                                 : require_bounds(table, column))
                .upper;
  }
  if (!(until >= 1e-100 && until <= 1e100)) {
    refuse_argument("time begins at 0 and ends later", psprintf("until is %g.", until),
                    "Pass until => 365, the last moment that curves are about.");
  }
  return until;
}

bool is_whole(const ProtectedTable* table, AttrNumber column) {
  const Oid type = getBaseType(asked_type(table, column));
  return type == INT2OID || type == INT4OID || type == INT8OID ||
         (table->made != NULL && made_column(table->made, column).whole);
}

// Who left before the first edge has bucket 0, who was followed up to the last, bucket bins. A
// column is compared with edges of a type that has all its numbers.
const char* survival_text(const SurvivalCall& call, bool numeric, const char* condition) {
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfo(&out, "SELECT dp_count(*)");
  append_rows(&out, call.cube, condition);
  appendStringInfo(&out, " GROUP BY pg_catalog.width_bucket(%s, '{",
                   quote_identifier(call.duration));
  for (int i = 1; i <= call.bins; i++) {
    appendStringInfo(&out, "%s%.*g", i > 1 ? "," : "", numeric ? 15 : 17,
                     call.until * i / call.bins);
  }
  appendStringInfo(&out, "}'::pg_catalog.%s[])", numeric ? "numeric" : "float8");
  appendStringInfo(&out, ", %s", quote_identifier(call.event));
  if (call.by != NULL) appendStringInfo(&out, ", %s", quote_identifier(call.by));
  return out.data;
}

bool says(const KeyColumn& key, int place, const char* value) {
  return strcmp(key_text(key, place), value) == 0 ||
         (key.shown_type == BOOLOID && value[0] != '\0' &&
          strcmp(DatumGetBool(key.shown[place]) ? "t" : "f", value) == 0);
}

const char* values_of(const KeyColumn& key) {
  List* texts = NIL;
  for (int i = 0; i < key.categories; i++) texts = lappend(texts, (void*)key_text(key, i));
  StringInfoData out;
  initStringInfo(&out);
  for (int i = 0; i < list_length(texts) && i < 20; i++) {
    appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", (const char*)list_nth(texts, i));
  }
  return out.data;
}

// false, and 0 among numbers, unless the caller says what it is.
int censored_value(const SurvivalCall& call, const KeyColumn& key) {
  const char* usual = key.shown_type == BOOLOID ? "false" : "0";
  const char* wanted = call.censored != NULL ? call.censored : usual;
  for (int i = 0; i < key.categories; i++) {
    if (says(key, i, wanted)) return i;
  }
  refuse_argument(
      psprintf("\"%s\" is no value of \"%s\"", quoted_prefix(wanted), call.event),
      psprintf("Its values are %s; censored is the one of people to whom nothing had happened "
               "when they were last seen.",
               values_of(key)),
      psprintf("Pass censored => %s.", quote_literal_cstr(key_text(key, 0))));
}

}  // namespace

const char* key_text(const KeyColumn& key, int place) {
  if (key.shown_type == BOOLOID) return DatumGetBool(key.shown[place]) ? "true" : "false";
  Oid output;
  bool varlena;
  getTypeOutputInfo(key.shown_type, &output, &varlena);
  return OidOutputFunctionCall(output, key.shown[place]);
}

SurvivalCall survival_call(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, kName);
  require_stated(fcinfo, kDuration, "duration => 'days'");
  require_stated(fcinfo, kEvent, "event => 'died'");
  SurvivalCall call = {};
  call.cube.name = release_name_argument(fcinfo, kName);
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call.bins = int4_argument(fcinfo, kBins).value_or(kUsualBins);
  require_range(fcinfo, kBins, call.bins, 1, kMostSurvivalBins,
                "The noise of all bins adds up in the number of people at risk: finer ones tell "
                "less.");
  const ProtectedTable* table = asked_table(fcinfo, kRelation, kSource);  // access first
  call.cube.relation = table->relation;
  call.cube.source = source_of(table);
  call.duration = pstrdup(name_argument(fcinfo, kDuration));
  call.event = pstrdup(name_argument(fcinfo, kEvent));
  call.by = PG_ARGISNULL(kBy) ? NULL : pstrdup(name_argument(fcinfo, kBy));
  call.censored = text_argument(fcinfo, kCensored);
  require_distinct(call);
  const AttrNumber duration = column_argument(table, call.duration);
  (void)column_argument(table, call.event);
  if (call.by != NULL) (void)column_argument(table, call.by);
  require_number(table, duration, call.duration);
  call.until = until_argument(fcinfo, table, duration);
  const bool numeric = getBaseType(asked_type(table, duration)) == NUMERICOID;
  call.one_time = is_whole(table, duration) && call.until == call.bins;
  call.cube.keys = call.by != NULL ? 3 : 2;
  call.cube.query = {.text = survival_text(call, numeric, text_argument(fcinfo, kCondition)),
                     .epsilon = guarantee.epsilon,
                     .delta = guarantee.delta,
                     .mechanism = Family::gaussian,
                     .keys = KeysAsked::declared,
                     .kept = {"survival", call.cube.name}};
  return call;
}

SurvivalPlan survival_plan(const SurvivalCall& call) {
  SurvivalPlan plan = {priced_cube(call.cube), 0, 0, 0, 0};
  const QueryGroups* groups = plan.priced.groups;
  const char** names = key_names(plan.priced);
  const char* wanted[] = {call.duration, call.event, call.by};
  for (int k = 0; k < groups->keys; k++) {
    if (strcmp(names[k], wanted[k]) != 0) elog(ERROR, "keys of survival curves in disorder");
  }
  if (plan.priced.unit.rows > 1) {
    refuse(ErrorCode::query_not_allowed, "survival curves are of people with one row each",
           psprintf("A person may have %d rows here.", plan.priced.unit.rows),
           "Make one row of each person: source => $$SELECT patient_id, max(day) AS days, "
           "bool_or(died) AS died FROM visits GROUP BY patient_id$$.");
  }
  const KeyColumn& event = groups->key[1];
  plan.censored = censored_value(call, event);
  plan.kinds = event.categories - 1;
  require_range("the number of kinds of events", plan.kinds, 1, kMostEventKinds,
                "Besides the value that stands for censored. Declare fewer values, or join some "
                "in a source by CASE.");
  plan.groups = call.by != NULL ? groups->key[2].categories : 1;
  require_range("the number of groups", plan.groups, 1, kMostSurvivalGroups,
                "Join some in a source by CASE, or leave out by.");
  const double scale = plan.priced.noise[0].law.scale;
  plan.stddev = std::sqrt(scale * scale + 1.0 / 12);  // rounded to whole numbers
  return plan;
}

}  // namespace dpmix::pg
