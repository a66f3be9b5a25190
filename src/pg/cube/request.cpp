#include "pg/cube/request.hpp"

#include <algorithm>
#include <bit>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/release/asked_table.hpp"
#include "pg/release/stored.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

enum Argument {
  kName,
  kRelation,
  kKeys,
  kMeasures,
  kEpsilon,
  kDelta,
  kUpTo,
  kCondition,
  kMaxGroups,
  kSource
};

constexpr int kMostTables = 4096;  // as many tables as GROUP BY may have sets
constexpr int kMostMeasures = 50;

struct Written {  // word(column)
  const char *word, *column;
};

const char* measure_text(const Aggregate* row, const char* column) {
  const char* word = row->in_cubes.word;
  return row->takes == Takes::rows ? word : psprintf("%s(%s)", word, column);
}

[[noreturn]] void refuse_measure(const char* text, const char* detail) {
  List* measures = NIL;
  bool more = true;
  for (int place = 1; more; place++) {
    more = false;
    for (const Aggregate* row = first_aggregate(); row != NULL; row = row->next) {
      if (row->in_cubes.place != place) continue;
      measures = lappend(measures, (void*)measure_text(row, "column"));
      more = true;
    }
  }
  refuse_argument(psprintf("\"%s\" is no measure of a cube", text), detail,
                  psprintf("Write %s.", listed_texts(measures, " or ")));
}

// A word before a parenthesis; without one, the average of a column.
Written read_measure(const char* text) {
  const char* open = strchr(text, '(');
  const Size length = strlen(text);
  if (open == NULL) return {"avg", text};
  if (length == 0 || text[length - 1] != ')') {
    refuse_measure(text, "A parenthesis is missing.");
  }
  return {pnstrdup(text, open - text), pnstrdup(open + 1, text + length - 1 - (open + 1))};
}

// The measure of a column that the word names.
const Aggregate* measure_of(const char* word, const char* text) {
  for (const Aggregate* row = first_aggregate(); row != NULL; row = row->next) {
    const char* known = row->takes == Takes::rows ? NULL : row->in_cubes.word;
    if (known != NULL && strcmp(known, word) == 0) return row;
  }
  refuse_measure(text, psprintf("There is no \"%s\".", word));
}

struct Texts {
  int count;
  char** text;
};

// Each once, none of them NULL.
Texts texts_argument(FunctionCallInfo fcinfo, int n, Oid type, const char* what) {
  Datum* values;
  bool* nulls;
  Texts texts = {};
  const bool names = type == NAMEOID;
  deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), type, names ? NAMEDATALEN : -1, false,
                    names ? TYPALIGN_CHAR : TYPALIGN_INT, &values, &nulls, &texts.count);
  texts.text = (char**)palloc(sizeof(char*) * (texts.count + 1));
  for (int i = 0; i < texts.count; i++) {
    if (nulls[i])
      refuse_argument(psprintf("a %s is NULL", what), "It has no name.", "Leave it out.");
    texts.text[i] = names ? pstrdup(NameStr(*DatumGetName(values[i])))
                          : pstrdup(measure_name(TextDatumGetCString(values[i])));
    for (int j = 0; j < i; j++) {
      if (strcmp(texts.text[i], texts.text[j]) != 0) continue;
      refuse_argument(psprintf("%s %s is given twice", what, texts.text[i]),
                      "A cube has each once.", "Leave one out.");
    }
  }
  return texts;
}

double tables_up_to(int keys, int most) {
  double tables = 1, choices = 1;
  for (int k = 1; k <= most; k++) tables += choices = choices * (keys - k + 1) / k;
  return tables;
}

// All sets of up to so many keys, the largest first.
void append_sets(StringInfo out, const Texts& keys, int most) {
  int chosen[kMostKeys];
  const char* between = "";
  for (int size = most; size >= 0; size--) {
    for (int i = 0; i < size; i++) chosen[i] = i;
    for (bool more = true; more;) {
      appendStringInfo(out, "%s(", between);
      between = ", ";
      for (int i = 0; i < size; i++) {
        appendStringInfo(out, "%s%s", i > 0 ? ", " : "", quote_identifier(keys.text[chosen[i]]));
      }
      appendStringInfoChar(out, ')');
      int last = size - 1;
      while (last >= 0 && chosen[last] == keys.count - size + last) last--;
      more = last >= 0;
      if (more) chosen[last]++;
      for (int i = last + 1; more && i < size; i++) chosen[i] = chosen[i - 1] + 1;
    }
  }
}

int read_up_to(FunctionCallInfo fcinfo, int keys) {
  const int most = int4_argument(fcinfo, kUpTo).value_or(keys);
  require_range(fcinfo, kUpTo, most, 1, keys, "It is how many keys a table has together, at most.");
  if (most > kMostKeysOfSet || tables_up_to(keys, most) > kMostTables) {
    refuse_argument("the cube has too many tables",
                    psprintf("It may have %d, each of up to %d keys.", kMostTables, kMostKeysOfSet),
                    "Pass up_to => 2, or name fewer keys.");
  }
  return most;
}

const char* cube_text(FunctionCallInfo fcinfo, const CubeCall& call, const Texts& keys) {
  const Texts measures = texts_argument(fcinfo, kMeasures, TEXTOID, "measure");
  require_range("the number of measures", measures.count, 1, kMostMeasures,
                "Name at least one: measures => '{count}'.");
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfoString(&out, "SELECT ");
  for (int i = 0; i < measures.count; i++) {
    if (i > 0) appendStringInfoString(&out, ", ");
    if (strcmp(measures.text[i], "count") == 0) {
      appendStringInfoString(&out, "dp_count(*)");
      continue;
    }
    const Written written = read_measure(measures.text[i]);
    appendStringInfo(&out, "%s(%s)", measure_of(written.word, measures.text[i])->name.given,
                     quote_identifier(written.column));
  }
  append_rows(&out, call, text_argument(fcinfo, kCondition));
  appendStringInfoString(&out, " GROUP BY GROUPING SETS (");
  append_sets(&out, keys, read_up_to(fcinfo, keys.count));
  appendStringInfoChar(&out, ')');
  return out.data;
}

// The name of the column in an expression, perhaps cast; NULL: there is none, or several.
const char* column_of(const PricedQuery& priced, const Expr* expression) {
  const List* columns = columns_of((Node*)expression);
  if (list_length(columns) != 1) return NULL;
  const Var* column = linitial_node(Var, columns);
  const LayerColumn* made = layer_column(&priced.scope, column);
  if (made != NULL) return made->name;
  return get_attname(priced.table->relation, column->varattno, false);
}

}  // namespace

// A text that was read as one SELECT, as a sub-select.
static const char* as_sub_select(const char* source) {
  int length = (int)strlen(source);
  while (length > 0 && (source[length - 1] == ';' || scanner_isspace(source[length - 1]))) length--;
  return psprintf("(%.*s\n) AS rows", length, source);
}

void append_rows(StringInfo query, const CubeCall& call, const char* condition) {
  appendStringInfo(
      query, " FROM %s",
      call.source != NULL ? as_sub_select(call.source) : qualified_name(call.relation));
  if (condition != NULL) appendStringInfo(query, " WHERE (%s\n)", condition);
}

const char* measure_name(const char* written) {
  if (strcmp(written, "count") == 0) return written;
  const Written read = read_measure(written);
  return psprintf("%s(%s)", measure_of(read.word, written)->in_cubes.word, read.column);
}

CubeCall cube_call(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, kName);
  require_stated(fcinfo, kKeys, "keys => '{region,sex}'");
  require_stated(fcinfo, kMeasures, "measures => '{count}'");
  CubeCall call = {};
  call.name = release_name_argument(fcinfo, kName);
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  const ProtectedTable* table = asked_table(fcinfo, kRelation, kSource);  // access first
  call.relation = table->relation;
  call.source = source_of(table);
  if (call.source == NULL) require_one_row(table);
  const Texts keys = texts_argument(fcinfo, kKeys, NAMEOID, "key");
  require_range("the number of keys", keys.count, 1, kMostKeys,
                "For a total alone ask dpmix.query.");
  call.keys = keys.count;
  call.sets = true;
  call.query = {.text = cube_text(fcinfo, call, keys),
                .epsilon = guarantee.epsilon,
                .delta = guarantee.delta,
                .mechanism = Family::gaussian,
                .max_groups = int4_argument(fcinfo, kMaxGroups),
                .one_lattice = true,
                .kept = {"cube", call.name}};
  return call;
}

const char** key_names(const PricedQuery& priced) {
  const char** names = (const char**)palloc(sizeof(char*) * priced.shape->keys);
  for (int k = 0; k < priced.shape->keys; k++) {
    names[k] = column_of(priced, priced.shape->key[k].expression);
  }
  return names;
}

const char** measure_names(const PricedQuery& priced) {
  const char** names = (const char**)palloc(sizeof(char*) * (priced.shape->aggregates + 1));
  for (int i = 0; i < priced.shape->aggregates; i++) {
    const QueryAggregate& aggregate = priced.shape->aggregate[i];
    const bool rows = aggregate.row->takes == Takes::rows;
    const char* column = rows ? NULL : column_of(priced, aggregate.argument);
    const bool known = aggregate.row->in_cubes.word != NULL && (rows || column != NULL);
    names[i] = known ? measure_text(aggregate.row, column) : NULL;
  }
  return names;
}

// The condition is a part of a text: whatever it makes of that, the cube has the tables and the
// measures that were asked for, of these columns.
PricedQuery priced_cube(const CubeCall& call) {
  const PricedQuery priced = priced_query(call.query);
  const bool same = call.source != NULL || priced.table->relation == call.relation;
  bool plain = priced.scope.sources->count == 1 && same && !priced.groups->discovered &&
               (priced.groups->cube != NULL) == call.sets && priced.shape->keys == call.keys;
  const char **keys = plain ? key_names(priced) : NULL,
             **measures = plain ? measure_names(priced) : NULL;
  for (int k = 0; plain && k < priced.shape->keys; k++) plain = keys[k] != NULL;
  for (int i = 0; plain && i < priced.shape->aggregates; i++) plain = measures[i] != NULL;
  if (plain && priced.moving == NULL) return priced;
  refuse_argument("the condition is more than one condition on the rows of a table",
                  "It adds to the query, or depends on the clock.",
                  "Write it as after WHERE: condition => 'wage > 0'.");
}

}  // namespace dpmix::pg
