#include "pg/query/recall/canonical.hpp"

#include "pg/border/build_id.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/read/temporary_tables.hpp"
#include "pg/query/safe/columns.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// Fields of printed nodes that do not change what a query means; each is one number.
constexpr const char* kCosmetic[] = {"location",      "funcformat", "relabelformat", "coerceformat",
                                     "convertformat", "row_format", "varnosyn",      "varattnosyn"};
// What functions that are not immutable may look at.
constexpr const char* kMeaning[] = {"TimeZone",
                                    "timezone_abbreviations",
                                    "DateStyle",
                                    "IntervalStyle",
                                    "extra_float_digits",
                                    "bytea_output",
                                    "lc_monetary",
                                    "lc_numeric",
                                    "lc_time"};

// The end of a cosmetic field that begins at a blank; NULL: it is none. In names blanks are
// escaped.
const char* end_of_cosmetic(const char* start, const char* at) {
  if (at[0] != ' ' || at[1] != ':' || (at > start && at[-1] == '\\')) return NULL;
  for (const char* name : kCosmetic) {
    const Size length = strlen(name);
    if (strncmp(at + 2, name, length) != 0 || at[2 + length] != ' ') continue;
    const char* end = at + 2 + length + 1;
    return end + strcspn(end, " })");
  }
  return NULL;
}

void append_node(StringInfo out, const void* node) {
  if (node == NULL) {
    appendStringInfoString(out, "<>");
    return;
  }
  Node* copy = (Node*)copyObjectImpl(node);
  fix_opfuncids(copy);
  const char* text = nodeToString(copy);
  for (const char* at = text; *at != '\0';) {
    const char* end = end_of_cosmetic(text, at);
    if (end != NULL) {
      at = end;
    } else {
      appendStringInfoCharMacro(out, *at);
      at++;
    }
  }
}

int compare_texts(const ListCell* a, const ListCell* b) {
  return strcmp((const char*)lfirst(a), (const char*)lfirst(b));
}

void append_condition(StringInfo out, const Node* condition) {
  List* texts = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)condition)) {
    StringInfoData text;
    initStringInfo(&text);
    append_node(&text, lfirst(cell));
    texts = lappend(texts, text.data);
  }
  list_sort(texts, compare_texts);
  foreach (cell, texts) appendStringInfo(out, " and %s", (const char*)lfirst(cell));
}

void append_number(StringInfo out, double number) {  // its bits: there are NaNs and zeros
  uint64 bits;
  memcpy(&bits, &number, sizeof bits);
  appendStringInfo(out, " " UINT64_FORMAT, bits);
}

void append_scales(StringInfo out, const CategoryScales* scales) {
  for (int i = 0; scales != NULL && i <= scales->categories; i++) {
    const char* category = i < scales->categories ? scales->category[i] : "";
    appendStringInfo(out, " scale %d %s", (int)strlen(category), category);
    append_number(out, scales->scale[i].lower);
    append_number(out, scales->scale[i].upper);
  }
}

void append_lattice(StringInfo out, const Lattice& lattice) {
  append_number(out, lattice.origin);
  append_number(out, lattice.step);
  appendStringInfo(out, " " INT64_FORMAT " " INT64_FORMAT, (int64)lattice.low, (int64)lattice.high);
}

// Where it is in memory is nothing of a question.
Node* without_places(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (IsA(node, Query)) return (Node*)mutate_query((Query*)node, without_places, arg);
  if (!IsA(node, Const) || ((const Const*)node)->consttype != INTERNALOID) {
    return mutate_expression(node, without_places, arg);
  }
  Const* made = (Const*)copyObjectImpl(node);
  made->constvalue = (Datum)0;
  return (Node*)made;
}

// A temporary table is what it holds, which changes without anybody being told, and what is known
// of its rows: the same rows in the next session are the same question.
void append_relation(StringInfo out, Oid relation) {
  if (OidIsValid(relation) && is_own_temporary(relation)) {
    appendStringInfo(out, " rows %s", digest_of_rows(relation));
  } else {
    appendStringInfo(out, " %u", relation);
  }
}

// What is made of the rows of each unit, and of which tables.
void append_layers(StringInfo out, const PricedQuery* priced) {
  const QuerySources* sources = priced->scope.sources;
  for (int i = 0; i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->layer == NULL) continue;
    ListCell* cell;
    foreach (cell, relations_of(source)) {
      appendStringInfoString(out, " held");
      append_relation(out, lfirst_oid(cell));
    }
    append_node(out, without_places((Node*)source->layer->asked, NULL));
  }
}

// Which table each number of a column's table means; of joins, what their own columns are.
void append_tables(StringInfo out, const PricedQuery* priced) {
  ListCell* cell;
  foreach (cell, priced->scope.query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    appendStringInfo(out, " table %d %d", (int)entry->rtekind, (int)entry->jointype);
    append_relation(out, entry->rtekind == RTE_RELATION ? entry->relid : InvalidOid);
    if (entry->rtekind == RTE_JOIN) append_node(out, entry->joinaliasvars);
  }
  append_layers(out, priced);
}

// Where the clock moves a window on, other blocks pay: what they paid before is no part of it.
void append_ranges(StringInfo out, int of, const BlocksRead& read) {
  for (int i = 0; i < read.count; i++) {
    appendStringInfo(out, " blocks %d " INT64_FORMAT " " INT64_FORMAT, of,
                     (int64)read.range[i].first, (int64)read.range[i].last);
  }
}

// Tables are numbered through, so that no range may be taken for another table's.
void append_blocks(StringInfo out, const PricedQuery* priced) {
  int tables = 0;
  for (int i = 0; i < priced->scope.sources->count; i++) {
    append_ranges(out, tables++, priced->blocks[i]);
    const Layer* layer = priced->scope.sources->source[i].layer;
    const ListCell* cell;
    foreach (cell, layer != NULL ? layer->blocks : NIL) {
      append_ranges(out, tables++, ((const BlocksOfTable*)lfirst(cell))->read);
    }
  }
}

void append_values(StringInfo out, const KeyColumn* key, bool expression) {
  if (expression) append_node(out, key->expression);
  int16 length;
  bool by_value;
  get_typlenbyval(key->type, &length, &by_value);
  for (int i = 0; i < key->categories; i++) {
    append_node(out, makeConst(key->type, -1, InvalidOid, length, key->value[i], false, by_value));
  }
}

void append_key(StringInfo out, const KeyColumn* key, bool expression) {
  appendStringInfo(out, " key %u %d %u %u %d %d %d", key->type, key->typmod, key->collation,
                   key->shown_type, key->categories, key->has_null,
                   key->others + key->shows_others);
  append_values(out, key, expression);
}

// Whether NaN is declared to be the middle for some column in it: what was asked does not say so.
bool has_nan_as_middle(Node* node, void*) {
  if (node == NULL) return false;
  return with_nan((const Expr*)node) != NULL || walk_expression(node, has_nan_as_middle, NULL);
}

void append_build_and_tables(StringInfo out, const PricedQuery* priced, const MemoryTerms& terms) {
  char build[128];
  appendStringInfo(out, "dpmix %s", build_id(build, sizeof build) ? build : "");
  for (int i = 0; i < terms.tables; i++) {
    const TableTerms& table = terms.table[i];
    appendStringInfo(out, " of " INT64_FORMAT " " INT64_FORMAT " %s", table.table_id, table.edition,
                     terms.shared ? "table" : table.grant);
  }
  append_tables(out, priced);
}

void append_unit(StringInfo out, const PricedQuery* priced) {
  const JoinedRows& joined = priced->shape->joined;
  appendStringInfo(out, " unit %d %d %d", (int)joined.adjacency, joined.picked ? 2 : joined.sampled,
                   (int)priced->table->unit);
}

}  // namespace

bool is_mutable(const PricedQuery* priced) {
  const QueryShape* shape = priced->shape;
  bool found =
      contain_mutable_functions((Node*)shape->from) || contain_mutable_functions(shape->where);
  for (int k = 0; k < priced->groups->keys; k++) {
    found = found || contain_mutable_functions((Node*)priced->groups->key[k].expression);
  }
  for (int i = 0; i < priced->statistics->count; i++) {
    const QueryStatistic* statistic = &priced->statistics->statistic[i];
    found = found || contain_mutable_functions((Node*)statistic->value) ||
            contain_mutable_functions(statistic->filter);
  }
  return found;
}

const char* canonical_question(const Query* query) {
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfoString(&out, "tree ");
  append_node(&out, query->jointree->fromlist);
  append_condition(&out, query->jointree->quals);
  append_node(&out, query->groupClause);
  append_node(&out, query->groupingSets);
  ListCell* cell;
  foreach (cell, query->targetList) {
    const TargetEntry* entry = lfirst_node(TargetEntry, cell);
    appendStringInfo(&out, " entry %u ", entry->ressortgroupref);
    append_node(&out, entry->expr);
  }
  append_node(&out, query->havingQual);
  return out.data;
}

StringInfoData canonical_query(const PricedQuery* priced, const MemoryTerms& terms,
                               const char* question) {
  StringInfoData out;
  initStringInfo(&out);
  append_build_and_tables(&out, priced, terms);
  const QueryShape* shape = priced->shape;
  if (question == NULL) {
    append_node(&out, shape->from);
    append_condition(&out, shape->where);
  } else {
    appendStringInfo(&out, " question %s%s", question, priced->quanta);
  }
  append_blocks(&out, priced);
  append_unit(&out, priced);
  if (shape->joined.sampled) {
    appendStringInfo(&out, " most %d %d %d", priced->unit.rows, priced->unit.rows_per_group,
                     priced->unit.groups);
  }
  if (priced->weighing != NULL) {
    appendStringInfo(&out, " weighed %d %d", priced->weighing->bits, priced->weighing->by_rows);
  }
  appendStringInfo(&out, " groups %d", priced->groups->discovered);
  for (int k = 0; k < priced->groups->keys; k++) {
    append_key(&out, &priced->groups->key[k], question == NULL);
  }
  for (int g = 0; priced->groups->product != NULL && g < priced->groups->count; g++) {
    appendStringInfo(&out, " " INT64_FORMAT, priced->groups->product[g]);
  }
  const QuerySets* sets = shape->sets;
  for (int i = 0; sets != NULL && i < sets->count; i++) {
    appendStringInfo(&out, " set " UINT64_FORMAT, (uint64)sets->keys[i]);
  }
  if (question != NULL || is_mutable(priced)) {
    for (const char* name : kMeaning) {
      appendStringInfo(&out, " %s=%s", name, GetConfigOption(name, true, false));
    }
  }
  return out;
}

StringInfoData canonical_source(const PricedQuery* priced, const MemoryTerms& terms) {
  StringInfoData out;
  initStringInfo(&out);
  append_build_and_tables(&out, priced, terms);
  append_node(&out, priced->shape->from);
  append_blocks(&out, priced);
  append_unit(&out, priced);
  return out;
}

const char* canonical_node(const void* node) {
  StringInfoData out;
  initStringInfo(&out);
  append_node(&out, node);
  return out.data;
}

const char* canonical_key(const KeyColumn* key) {
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfo(&out, "key %u %d %u %d", key->type, key->typmod, key->collation,
                   key->categories);
  append_values(&out, key, true);
  return out.data;
}

void append_canonical_statistic(StringInfo out, const PricedQuery* priced, int number,
                                const char* question) {
  const QueryStatistic* statistic = &priced->statistics->statistic[number];
  appendStringInfo(out, " statistic %d %d %d %d %d", (int)statistic->kind, statistic->cells,
                   statistic->categories, statistic->integral, statistic->level);
  append_lattice(out, statistic->lattice);
  append_lattice(out, statistic->centred);
  append_number(out, statistic->lower);
  append_number(out, statistic->upper);
  append_scales(out, statistic->scales);
  if (statistic->tree != NULL) {
    const CellCut& cut = statistic->tree->cut;
    append_number(out, cut.lower());
    append_number(out, cut.limit());
    appendStringInfo(out, " %d %d", (int)cut.cells(), statistic->tree->shape.levels);
    for (const int branches : statistic->tree->shape.branches) {
      appendStringInfo(out, " %d", branches);
    }
  }
  if (statistic->kind == StatisticKind::drawn) append_number(out, statistic->share);
  for (int i = 0; statistic->edge != NULL && i <= statistic->cells; i++) {
    append_number(out, statistic->edge[i]);
  }
  if (question != NULL) {
    appendStringInfo(out, " number %d %d", number,
                     (int)has_nan_as_middle((Node*)statistic->value, NULL));
    return;
  }
  append_node(out, statistic->value);
  append_condition(out, statistic->filter);
}

}  // namespace dpmix::pg
