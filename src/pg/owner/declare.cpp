// declare: bounds and categories of all columns in one call, with what the catalog says of a
// column's values where its owner says nothing.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/owner/default_domain.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/stated_domain.hpp"
#include "pg/owner/view_column.hpp"
#include "pg/rows/rules.hpp"

extern "C" {
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_declare);
}

namespace dpmix::pg {
namespace {

// A list is bounds or categories, as the column's type decides; an object says which. Bounds by
// category are an object of lists.
Statement stated_columns = {
    "WITH stated AS ("
    "  SELECT key, value, jsonb_typeof(value) AS form, "
    "  CASE jsonb_typeof(value) WHEN 'array' THEN value WHEN 'object' THEN value -> 'bounds' END "
    "  AS bounds, "
    "  CASE jsonb_typeof(value) WHEN 'array' THEN value WHEN 'object' THEN value -> 'categories' "
    "  END AS categories, coalesce(jsonb_typeof(value) = 'object' AND value ? 'by', false) AS by, "
    "  CASE jsonb_typeof(value) WHEN 'array' THEN true WHEN 'object' THEN value <> '{}' AND "
    "  value - '{bounds,categories,other,nan_is_middle,by,at_least,sum_of,present_with}'::text[] "
    "  = '{}' AND (NOT value ? 'at_least' OR jsonb_typeof(value -> 'at_least') = 'string') AND "
    "  (NOT value ? 'present_with' OR jsonb_typeof(value -> 'present_with') = 'string') AND "
    "  (NOT value ? 'sum_of' OR jsonb_typeof(value -> 'sum_of') = 'array' AND NOT value ? "
    "    'at_least' AND jsonb_array_length(value -> 'sum_of') > 1 AND NOT jsonb_path_exists(value "
    "    -> 'sum_of', 'strict $[*] ? (@.type() != \"string\")')) AND "
    "  (NOT value ? 'other' OR jsonb_typeof(value -> 'other') = 'boolean' AND "
    "    value ? 'categories') AND "
    "  (NOT value ? 'nan_is_middle' OR jsonb_typeof(value -> 'nan_is_middle') = 'boolean' AND "
    "    value ? 'bounds') AND "
    "  (NOT value ? 'by' OR jsonb_typeof(value -> 'by') = 'string' AND NOT value ? 'nan_is_middle' "
    "    AND coalesce(jsonb_typeof(value -> 'bounds') = 'object' AND value -> 'bounds' <> '{}', "
    "                 false)) "
    "  ELSE false END AS known, coalesce(value -> 'other' = 'true', false) AS other, "
    "  coalesce(value -> 'nan_is_middle' = 'true', false) AS nan_is_middle "
    "  FROM jsonb_each($1)), "
    "lists AS (SELECT s.key, v.name, v.list FROM stated s, LATERAL ("
    "    SELECT '' AS name, bounds AS list WHERE NOT by UNION ALL SELECT '', categories UNION ALL "
    "    SELECT b.key, b.value FROM jsonb_each(CASE WHEN by AND known THEN bounds ELSE '{}' END) b"
    "  ) v WHERE v.list IS NOT NULL), "
    "judged AS (SELECT *, NOT EXISTS (SELECT FROM lists l WHERE l.key = stated.key AND ("
    "  jsonb_typeof(l.list) <> 'array' OR jsonb_path_exists(l.list, "
    "  'strict $[*] ? (@.type() == \"array\" || @.type() == \"object\")') OR l.name <> '' AND "
    "  (jsonb_array_length(l.list) <> 2 OR l.list @> '[null]'))) AS flat FROM stated), "
    "read AS (SELECT *, by AND known AND flat AS has_by FROM judged) "
    "SELECT key, form = 'array', known AND flat, "
    "CASE WHEN bounds IS NOT NULL AND NOT by THEN ARRAY(SELECT x #>> '{}' "
    "  FROM jsonb_array_elements(CASE WHEN flat THEN bounds ELSE '[]' END) WITH ORDINALITY AS a(x, "
    "  o) ORDER BY o) END, "
    "CASE WHEN categories IS NOT NULL THEN ARRAY(SELECT x #>> '{}' FROM jsonb_array_elements("
    "  CASE WHEN flat THEN categories ELSE '[]' END) WITH ORDINALITY AS a(x, o) ORDER BY o) END, "
    "other, nan_is_middle, CASE WHEN has_by THEN value ->> 'by' END, l.names, l.lower, l.upper, "
    "CASE WHEN form = 'object' THEN value ->> 'at_least' END, "
    "CASE WHEN form = 'object' AND known AND value ? 'sum_of' THEN "
    "  ARRAY(SELECT x FROM jsonb_array_elements_text(value -> 'sum_of') WITH ORDINALITY AS a(x, o) "
    "  ORDER BY o) END, CASE WHEN form = 'object' THEN value ->> 'present_with' END "
    "FROM read LEFT JOIN LATERAL (SELECT array_agg(l.name ORDER BY l.name) AS names, "
    "  array_agg(l.list ->> 0 ORDER BY l.name) AS lower, array_agg(l.list ->> 1 ORDER BY l.name) "
    "AS "
    "  upper FROM lists l WHERE l.key = read.key AND l.name <> '' AND has_by) l ON true"};

// What is stated of a column has its rules, or none.
Statement upsert_rules = {
    "INSERT INTO dpmix.column_domain AS d (table_id, column_name, attnum, at_least, sum_of, "
    "present_with) SELECT $1, $2, $3, $4, $5, $6 WHERE num_nonnulls($4, $5, $6) > 0 OR EXISTS "
    "(SELECT FROM dpmix.column_domain o WHERE o.table_id = $1 AND o.column_name = $2) "
    "ON CONFLICT (table_id, column_name) DO UPDATE SET attnum = excluded.attnum, at_least = "
    "excluded.at_least, sum_of = excluded.sum_of, present_with = excluded.present_with"};

Statement declared_column = {
    "SELECT format_type(a.atttypid, a.atttypmod), dpmix_internal.bound_text($4, d.lower), "
    "dpmix_internal.bound_text($4, d.upper), d.categories "
    "FROM pg_attribute a LEFT JOIN dpmix.column_domain d "
    "ON d.table_id = $1 AND d.attnum = a.attnum AND d.column_name = a.attname "
    "WHERE a.attrelid = $2 AND a.attnum = $3"};

struct Stated {  // what is stated about one column
  char* key;
  bool list;      // not said whether bounds or categories
  bool readable;  // a list of plain values, or an object of such lists
  int bounds;
  char** bound;
  int categories;
  char** category;
  bool other;  // all others are a category, too
  bool nan_is_middle;
  StatedBoundsBy by;  // column NULL: all rows have the same bounds
  char* at_least;     // rules; NULL: none
  int parts;
  char** sum_of;
  char* present_with;
};

int read_stated(Datum document, Stated** stated) {
  if (!JB_ROOT_IS_OBJECT(DatumGetJsonbP(document))) {
    refuse_argument("domains are no JSON object", "It has an entry for each column.",
                    "Pass for example '{\"age\": [0, 120], \"region\": [\"n\", \"s\"]}'.");
  }
  int count = 0;
  as_catalog_owner([&] {
    count = (int)read_rows(stated_columns, {Value(JSONBOID, document)});
    *stated = (Stated*)SPI_palloc(sizeof(Stated) * Max(count, 1));
    for (int i = 0; i < count; i++) {
      const ResultRow row = {(uint64)i};
      Stated* one = &(*stated)[i];
      *one = {row.text(1),  row.truth(2), row.truth(3), 0,    NULL, 0,    NULL,
              row.truth(6), row.truth(7), {},           NULL, 0,    NULL, NULL};
      if (!row.is_null(12)) one->at_least = row.text(12);
      one->sum_of = row.texts(13, &one->parts);
      if (!row.is_null(14)) one->present_with = row.text(14);
      one->bound = row.texts(4, &one->bounds);
      one->category = row.texts(5, &one->categories);
      if (row.is_null(8)) continue;
      one->by.column = row.text(8);
      one->by.category = row.texts(9, &one->by.categories);
      one->by.lower = row.texts(10, &one->by.categories);
      one->by.upper = row.texts(11, &one->by.categories);
    }
  });
  return count;
}

[[noreturn]] void refuse_form(const OwnedColumn* column, const char* why) {
  refuse_argument(psprintf("what is stated of column \"%s\" cannot be read", column->name), why,
                  "Write [lower, upper], a list of categories, or an object of both: {\"bounds\": "
                  "[1, 5], \"categories\": [1, 2, 3, 4, 5]}; or {\"categories\": [\"n\", \"s\"], "
                  "\"other\": true}; or bounds by another column's categories: {\"by\": \"test\", "
                  "\"bounds\": {\"sbp\": [60, 260], \"fib4\": [0, 30]}}; beside them a rule: "
                  "{\"at_least\": \"admitted\"}, {\"sum_of\": [\"a\", \"b\"]}, "
                  "{\"present_with\": \"admitted\"}.");
}

void record_stated_by(Oid relation, const OwnedColumn* column, const StatedBoundsBy& stated) {
  if (stated.categories > kMostBoundsBy) {
    refuse_form(column, psprintf("It has bounds of %d categories; the most are %d.",
                                 stated.categories, kMostBoundsBy));
  }
  const OwnedColumn by = owned_column(column->table_id, relation, stated.column);
  record_bounds_by(column, &by, stated);
}

// Whether they can be kept is seen once all are on record.
void record_rules(Oid relation, const OwnedColumn* column, const Stated& stated) {
  for (int k = 0; k < stated.parts; k++) {
    (void)owned_column(column->table_id, relation, stated.sum_of[k]);
    for (int j = 0; j < k; j++) {
      if (strcmp(stated.sum_of[j], stated.sum_of[k]) != 0) continue;
      refuse_form(column, psprintf("It adds up column \"%s\" twice.", stated.sum_of[k]));
    }
  }
  for (const char* other : {stated.at_least, stated.present_with}) {
    if (other != NULL) (void)owned_column(column->table_id, relation, other);
  }
  as_catalog_owner([&] {
    (void)write_rows(
        upsert_rules,
        {column->table_id, name_value(column->name), column->attnum, name_value(stated.at_least),
         value_if(stated.parts > 0, name_array(stated.sum_of, stated.parts)),
         name_value(stated.present_with)});
  });
}

void record_stated(Oid relation, const OwnedColumn* column, Stated stated) {
  if (!stated.readable) refuse_form(column, "It is no list of plain values.");
  if (stated.list) {  // numbers and times: bounds
    if (can_have_bounds(column)) {
      stated.category = NULL;
    } else {
      stated.bound = NULL;
    }
  }
  if (stated.by.column != NULL) record_stated_by(relation, column, stated.by);
  if (stated.bound != NULL) {
    require_bounds_type(column);
    if (stated.bounds != 2 || stated.bound[0] == NULL || stated.bound[1] == NULL) {
      refuse_form(column, psprintf("Bounds are two values, none null; %d are given. A list of a "
                                   "column of type %s is its bounds.",
                                   stated.bounds, format_type_be(column->type)));
    }
    const double lower = read_bound(column, stated.bound[0]);
    record_bounds(column, lower, read_bound(column, stated.bound[1]), stated.nan_is_middle);
  }
  if (stated.category != NULL) {
    record_categories(column, stated.category, stated.categories, stated.other);
  }
  record_rules(relation, column, stated);
}

// Whether there is now anything on record, and where it is from; else NULL, and what is missing.
const char* record_default(Oid relation, const OwnedColumn* column, const char** missing) {
  const DefaultDomain found = default_domain(relation, column);
  if (found.source != NULL) {
    if (found.has_bounds) record_bounds(column, found.lower, found.upper);
    if (found.categories > 0) record_categories(column, found.category, found.categories);
  } else if (found.half != NULL) {
    *missing = psprintf("bounds: %s gives one only", found.half);
  } else if (can_have_bounds(column)) {
    *missing = "bounds";
  } else {
    *missing =
        has_trusted_text(column->type) ? "categories" : "nothing can be declared of its type";
  }
  return found.source;
}

bool is_declared(int64 table_id, Oid relation, AttrNumber attnum) {
  ProtectedTable table = {};
  table.id = table_id;
  table.relation = relation;
  const ColumnDomain domain = column_domain(&table, attnum);
  return domain.has_bounds || domain.categories > 0;
}

void add_column(const ResultRows& rows, Oid relation, const OwnedColumn* column, const char* source,
                const char* missing) {
  char *type = NULL, *lower = NULL, *upper = NULL, **category = NULL;
  int categories = 0;
  as_catalog_owner([&] {
    (void)read_rows(declared_column, {column->table_id, relation, column->attnum, column->type});
    const ResultRow row;
    type = row.text(1);
    lower = row.text(2);
    upper = row.text(3);
    category = row.texts(4, &categories);
  });
  add_row(rows, {name_value(column->name), type, lower, upper, text_array(category, categories),
                 source, missing});
}

void declare_column(const ResultRows& rows, const CatalogRow* table, Oid relation,
                    AttrNumber attnum, const Stated* stated) {
  const char* name = get_attname(relation, attnum, false);
  const OwnedColumn column = owned_column(table->id, relation, name);
  const char *source = NULL, *missing = NULL;
  if (stated != NULL) {
    record_stated(relation, &column, *stated);
    source = "stated";
  } else if (is_declared(table->id, relation, attnum)) {
    source = "declared before";
  } else if (table->privacy_unit != NULL && strcmp(table->privacy_unit, name) == 0) {
    missing = "nothing: it is the privacy unit";
  } else {
    source = record_default(relation, &column, &missing);
  }
  add_column(rows, relation, &column, source, missing);
}

// Of a view nothing is on record but what was stated; the rest is by rule of its text.
void declare_view_column(const ResultRows& rows, Oid view, AttrNumber attnum,
                         const Stated* stated) {
  const OwnedColumn column = owned_view_column(view, get_attname(view, attnum, false));
  const char *source = NULL, *missing = NULL;
  const char* table = table_of_view_column(view, attnum);
  if (stated != NULL) {
    require_computed(&column);
    record_stated(view, &column, *stated);
    source = "stated";
  }
  const ViewDeclaration known = declaration_of(&column);
  if (source == NULL && known.declared) source = "declared before";
  if (source == NULL) {
    missing = table != NULL ? psprintf("nothing: it is %s", table)
                            : "what dpmix.describe() does not show of it";
  }
  add_row(rows, {name_value(column.name), format_type_with_typemod(column.type, column.typmod),
                 known.lower, known.upper, text_array(known.category, known.categories), source,
                 missing});
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_declare(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(0);
  const bool view = open_declared_view(relation);
  const CatalogRow* table = view ? NULL : open_owned(relation, ShareUpdateExclusiveLock);
  const ResultRows rows = begin_rows(fcinfo);
  Stated* stated = NULL;
  const int count = read_stated(PG_GETARG_DATUM(1), &stated);
  for (int i = 0; i < count; i++) {
    (void)owned_column(view ? 0 : table->id, relation, stated[i].key);
  }
  for (AttrNumber attnum = 1; SearchSysCacheExists2(ATTNUM, relation, attnum); attnum++) {
    const char* name = get_attname(relation, attnum, true);
    if (name == NULL) continue;  // dropped
    const Stated* found = NULL;
    for (int i = 0; i < count; i++) {
      if (strcmp(stated[i].key, name) == 0) found = &stated[i];
    }
    if (view) {
      declare_view_column(rows, relation, attnum, found);
    } else {
      declare_column(rows, table, relation, attnum, found);
    }
  }
  if (view) {
    comment_facades_of_view(relation);
    return (Datum)0;
  }
  ProtectedTable ruled = {};
  ruled.id = table->id;
  ruled.relation = relation;
  ruled.name = get_rel_name(relation);
  check_rules(&ruled);
  comment_facades(table->id);
  return (Datum)0;
}
