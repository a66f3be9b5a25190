#include "pg/schedule/at_due.hpp"

#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"

extern "C" {
#include "utils/date.h"
#include "catalog/pg_type.h"
#include "common/keywords.h"
#include "lib/stringinfo.h"
#include "parser/scanner.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

constexpr char kDue[] = "due";
constexpr int kDueLength = sizeof(kDue) - 1;

bool ends_word(char c) {
  return !(isalnum((unsigned char)c) || c == '_' || c == '$' || IS_HIGHBIT_SET(c));
}

// The text with each $due as `instead` (NULL: as it is), and the largest n of its $n. By
// PostgreSQL's own scanner: what stands in quotes or comments is none.
struct Scanned {
  char* text;
  bool has_due;
  int parameters;
};

Scanned scan(const char* text, const char* instead) {
  core_yy_extra_type extra;
  core_yyscan_t scanner = scanner_init(text, &extra, &ScanKeywords, ScanKeywordTokens);
  extra.escape_string_warning = false;  // the parser's to give
  StringInfoData out;
  initStringInfo(&out);
  Scanned scanned = {NULL, false, 0};
  int copied = 0;
  core_YYSTYPE value;
  YYLTYPE at = 0;
  while (core_yylex(&value, &at, scanner) != 0) {
    if (text[at] != '$') continue;
    if (isdigit((unsigned char)text[at + 1])) {
      scanned.parameters = Max(scanned.parameters, atoi(text + at + 1));
    }
    if (pg_strncasecmp(text + at + 1, kDue, kDueLength) != 0) continue;
    if (!ends_word(text[at + 1 + kDueLength])) continue;
    scanned.has_due = true;
    if (instead == NULL) continue;
    appendBinaryStringInfo(&out, text + copied, at - copied);
    appendStringInfoString(&out, instead);
    copied = at + 1 + kDueLength;
  }
  scanner_finish(scanner);
  appendStringInfoString(&out, text + copied);
  scanned.text = out.data;
  return scanned;
}

int64 place_of_due(const Schedule* schedule, Oid type, int64 period) {
  const TimestampTz due = due_of(schedule->calendar, period);
  if (due == DT_NOEND) elog(ERROR, "a period is due beyond the calendar");
  if (type != DATEOID) return due;
  return DatumGetDateADT(DirectFunctionCall1(timestamptz_date, TimestampTzGetDatum(due)));
}

// The due time has its distance from UTC, so that the hour that comes twice has two names.
const char* release_name(const Schedule* schedule, const char* name, int64 period) {
  const TimestampTz due = due_of(schedule->calendar, period);
  int zone;
  struct pg_tm time;
  fsec_t fraction;
  const char* zone_name;
  if (timestamp2tm(due, &zone, &time, &fraction, &zone_name, NULL) != 0) {
    elog(ERROR, "a period is due beyond the calendar");
  }
  char text[MAXDATELEN + 1];
  EncodeDateTime(&time, fraction, true, zone, zone_name, USE_ISO_DATES, text);
  return psprintf("%s %s", name, text);
}

}  // namespace

const Recipe* recipe_at(const Schedule* schedule, const Recipe* recipe, int64 period) {
  Recipe* made = (Recipe*)palloc(sizeof(Recipe));
  *made = *recipe;
  made->call = (FuncExpr*)copyObjectImpl(recipe->call);
  if (const char* name = text_of(recipe, "name")) {
    replace_text(made, "name", release_name(schedule, name, period));
  }
  if (const char* query = text_of(recipe, "query")) {
    const char* due = place_text(TIMESTAMPTZOID, place_of_due(schedule, TIMESTAMPTZOID, period));
    const Scanned scanned = scan(query, psprintf("(timestamptz '%s')", due));
    if (scanned.has_due) replace_text(made, "query", scanned.text);
  }
  const Oid relation = reads_period(recipe) ? relation_of(recipe) : InvalidOid;
  if (OidIsValid(relation)) {
    const BlockColumn& blocks = open_protected(relation)->blocks;
    if (!has_blocks(blocks)) return made;  // the release says so
    const Places places = places_of_period(schedule, blocks, period);
    replace_text(made, "blocks",
                 psprintf("[%s,%s)", place_text(blocks.type, places.first),
                          place_text(blocks.type, places.last + 1)));
  }
  return made;
}

DueText text_of_due(const Recipe* recipe) {
  const char* text = text_of(recipe, "query");
  const Scanned scanned = scan(text, NULL);
  if (!scanned.has_due) return {NULL, 0};
  const int parameter = scanned.parameters + 1;
  return {scan(text, psprintf("($%d::timestamptz)", parameter)).text, parameter};
}

bool reads_period(const Recipe* recipe) {
  const char* blocks = text_of(recipe, "blocks");
  return blocks != NULL && strcmp(blocks, "period") == 0;
}

Places places_of_period(const Schedule* schedule, const BlockColumn& blocks, int64 period) {
  if (blocks.type != DATEOID && blocks.type != TIMESTAMPOID && blocks.type != TIMESTAMPTZOID) {
    refuse_argument("blocks => 'period' is of dates and times",
                    "The table's blocks are of whole numbers, which no period names.",
                    "Give a range of numbers.");
  }
  return {place_of_due(schedule, blocks.type, period - 1),
          place_of_due(schedule, blocks.type, period) - 1};
}

}  // namespace dpmix::pg
