// check: how a table's declarations suit its rows. Exact, for the owner alone.
#include "core/base/clamped.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/owner/arrivals.hpp"
#include "pg/owner/exact_rows.hpp"
#include "pg/owner/likely_typo.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/owned_column.hpp"
#include "pg/owner/unit_source.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_check);
}

namespace dpmix::pg {
namespace {

constexpr double kManyRows = 0.05;  // a share of the rows that is worth a warning
constexpr double kNarrow = 0.1;     // a share of the bounds that holds 98% of the values
constexpr int kExamples = 5;

// Charges under this very name that another account has: once, their table had it.
Statement charged_elsewhere = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), count(*) FROM dpmix.charge g "
    "JOIN dpmix.protected_table p ON p.id = g.table_id "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = p.owner "
    "WHERE g.relation = $1 AND coalesce(p.account, p.id) <> $2 "
    "AND ($3 OR pg_has_role($4, r.oid, 'USAGE')) GROUP BY p.id ORDER BY p.id"};

struct Check {
  Oid relation;
  const char* table;  // qualified
  const CatalogRow* record;
  int64 rows;
  ResultRows out;
};

Value no_examples() {
  return text_array(NULL, 0);
}

Value examples_of(char** value, int count) {
  return count == 0 ? no_examples() : text_array(value, Min(count, kExamples));
}

double share_of(int64 part, int64 whole) {
  return whole == 0 ? 0 : (double)part / (double)whole;
}

Value share_value(int64 part, int64 whole) {
  return value_if(whole > 0, six_digits(share_of(part, whole)));
}

void add_finding(const Check& check, const char* column, const char* finding, int64 number,
                 Value share, Value examples, const char* warning = NULL) {
  add_row(check.out, {name_value(column), finding, number, share, examples, warning});
}

void add_share(const Check& check, const char* column, const char* finding, int64 rows,
               const char* warning = NULL) {
  add_finding(check, column, finding, rows, share_value(rows, check.rows), no_examples(), warning);
}

void add_number(const Check& check, const char* finding, int64 number, const char* warning = NULL) {
  add_finding(check, check.record->privacy_unit, finding, number, value_if(false, 0.),
              no_examples(), warning);
}

// A value of this type, printed: whoever made the type may have made a cast of it to text, too,
// which would run with the owner's rights.
const char* text_sql(Oid type, const char* value) {
  return psprintf(type < FirstGenbkiObjectId ? "%s::text" : "format('%%s', %s)", value);
}

// The declared categories as an array of the column's type below domains.
const char* categories_sql(const OwnedColumn& column, const ColumnDomain& domain) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < domain.categories; i++) {
    appendStringInfo(&list, "%s%s", i > 0 ? "," : "", quote_literal_cstr(domain.category[i]));
  }
  return psprintf("ARRAY[%s]::%s[]", list.data,
                  format_type_extended(column.type, column.typmod,
                                       FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

struct SomeRows {      // of a table
  const char* where;   // a condition in SQL, or nothing
  const char* suffix;  // for people, or nothing
};

void check_bounds(const Check& check, const OwnedColumn& column, const ColumnDomain& domain,
                  const SomeRows& rows) {
  const char* quoted = quote_identifier(column.name);
  const char* value = is_text(&column) ? psprintf("length(%s::text)::float8", quoted)
                                       : float8_sql(column.type, quoted);
  const char* query = psprintf(
      "SELECT count(v), count(*) FILTER (WHERE v = 'NaN'), count(*) FILTER (WHERE v < l), "
      "count(*) FILTER (WHERE v > u AND v <> 'NaN'), "
      "percentile_disc(0.01) WITHIN GROUP (ORDER BY v) FILTER (WHERE v <> 'NaN'), "
      "percentile_disc(0.99) WITHIN GROUP (ORDER BY v) FILTER (WHERE v <> 'NaN') "
      "FROM (SELECT %s AS v, '%.17g'::float8 AS l, '%.17g'::float8 AS u FROM %s%s) AS r",
      value, domain.lower, domain.upper, check.table, rows.where);
  int64 values = 0, nan = 0, below = 0, above = 0;
  double low = 0, high = 0;
  read_exactly(check.relation, query, [&](uint64) {
    const ResultRow row;
    values = row.int8(1);
    nan = row.int8(2);
    below = row.int8(3);
    above = row.int8(4);
    low = row.float8(5);
    high = row.float8(6);
  });
  if (nan > 0) add_share(check, column.name, psprintf("NaN%s", rows.suffix), nan);
  const int64 numbers = values - nan;
  const char* moved = NULL;
  if (share_of(below + above, numbers) > kManyRows) {
    moved = below + above == numbers
                ? "every value is clamped: are the bounds in the unit of the column?"
                : "many values are clamped, which moves sums and averages: are the bounds in the "
                  "unit of the column?";
  }
  add_share(check, column.name, psprintf("below the lower bound%s", rows.suffix), below,
            below > 0 ? moved : NULL);
  add_share(check, column.name, psprintf("above the upper bound%s", rows.suffix), above,
            above > 0 ? moved : NULL);
  const double filled =
      clamped(high, domain.lower, domain.upper) - clamped(low, domain.lower, domain.upper);
  const double width = domain.upper - domain.lower;
  if (numbers == 0) {
    add_share(check, column.name, psprintf("values%s", rows.suffix), 0,
              "there are no values: an average would be one over nobody");
  } else if (moved == NULL && filled < kNarrow * width) {
    add_share(check, column.name, psprintf("values%s", rows.suffix), numbers,
              "98% of the values fill less than a tenth of the bounds, and noise grows with the "
              "bounds: are these in the unit of the column?");
  }
}

// Of the rows of each category. A column that decides has a type of PostgreSQL's own, or an enum.
void check_bounds_by(const Check& check, const OwnedColumn& column, const BoundsBy* by) {
  const char* deciding = quote_identifier(by->column);
  for (int i = 0; i < by->categories; i++) {
    CHECK_FOR_INTERRUPTS();
    ColumnDomain one = {};
    one.has_bounds = true;
    one.lower = by->lower[i];
    one.upper = by->upper[i];
    check_bounds(check, column, one,
                 {psprintf(" WHERE %s::text = %s", deciding, quote_literal_cstr(by->category[i])),
                  psprintf(" of %s %s", by->column, by->category[i])});
  }
}

struct Unlisted {
  char** value;
  int count;
};

// Values that are not listed, the most frequent first, and categories that no row has.
void check_categories(const Check& check, const OwnedColumn& column, const ColumnDomain& domain) {
  const char* type = format_type_extended(column.type, column.typmod,
                                          FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
  const char* categories = categories_sql(column, domain);
  const char* quoted = quote_identifier(column.name);
  const char* query = psprintf(
      "WITH found AS MATERIALIZED (SELECT %s::%s AS v, count(*) AS n FROM %s WHERE %s IS NOT NULL "
      "GROUP BY 1), other AS (SELECT v, n FROM found WHERE v <> ALL (%s)) "
      "SELECT (SELECT coalesce(sum(n), 0)::bigint FROM other), "
      "ARRAY(SELECT %s FROM other ORDER BY n DESC, v LIMIT %d), "
      "ARRAY(SELECT %s FROM unnest(%s) WITH ORDINALITY AS a(c, o) "
      "      WHERE c NOT IN (SELECT v FROM found) ORDER BY o)",
      quoted, type, check.table, quoted, categories, text_sql(column.type, "v"), kExamples,
      text_sql(column.type, "c"), categories);
  int64 rows = 0;
  Unlisted other = {}, empty = {};
  read_exactly(check.relation, query, [&](uint64) {
    const ResultRow row;
    rows = row.int8(1);
    other.value = row.texts(2, &other.count);
    empty.value = row.texts(3, &empty.count);
  });
  const char* typo = NULL;
  for (int i = 0; typo == NULL && i < empty.count; i++) {
    for (int k = 0; typo == NULL && k < other.count; k++) {
      if (!is_likely_typo(empty.value[i], other.value[k])) continue;
      typo = psprintf("category '%s' has no rows, and '%s' is not listed: a typo?", empty.value[i],
                      other.value[k]);
    }
  }
  if (typo == NULL && share_of(rows, check.rows) > kManyRows) {
    typo = "many rows are in no group";
  }
  add_finding(check, column.name, "not in the categories", rows, share_value(rows, check.rows),
              examples_of(other.value, other.count), typo);
  add_finding(check, column.name, "categories without rows", empty.count,
              share_value(empty.count, domain.categories), examples_of(empty.value, empty.count),
              empty.count == 0 ? NULL
                               : "a group without rows is noise alone, and its average one over "
                                 "nobody");
}

void check_records(const Check& check) {
  const Oid user = GetUserId();
  const bool all = superuser();
  uint64 count = 0;
  const char** other = NULL;
  int64* charges = NULL;
  as_catalog_owner([&] {
    count = read_rows(charged_elsewhere, {check.table, check.record->account, all, user});
    other = (const char**)SPI_palloc(Max(count, 1) * sizeof(char*));
    charges = (int64*)SPI_palloc(Max(count, 1) * sizeof(int64));
    for (uint64 i = 0; i < count; i++) {
      other[i] = ResultRow{i}.text(1);
      charges[i] = ResultRow{i}.int8(2);
    }
  });
  for (uint64 i = 0; i < count; i++) {
    add_finding(check, NULL, "charges under this name, counted elsewhere", charges[i],
                value_if(false, 0.), text_array(&other[i], 1),
                psprintf("tables changed places: a superuser makes one account of both records "
                         "with dpmix.join_records(%s, %s)",
                         quote_literal_cstr(other[i]), quote_literal_cstr(check.table)));
  }
}

bool is_waited_for(const Check& check) {
  const CatalogRow* record = check.record;
  return record != NULL && record->waiting && OidIsValid(record->owner) &&
         has_privs_of_role(GetUserId(), record->owner);
}

// The record of the name waits, and this table has the name.
void add_unattached(const Check& check) {
  const char* why = why_unattached(check.record->id, check.relation);
  if (why == NULL) {
    why = check.record->owner == relation_owner(check.relation)
              ? "it suits: SELECT dpmix.replace_table() attaches it"
              : "the record belongs to another role: dpmix.hand_over() gives it away";
  }
  add_finding(check, NULL, "not protected: the name is vacant", 1, value_if(false, 0.),
              no_examples(), why);
}

// What a release would say, who may not ask any more.
void check_link(const Check& check) {
  if (check.record->link == NULL) return;
  const char* defect = unit_source(check.relation, check.record).defect;
  if (defect == NULL) return;
  add_share(check, NULL, "rows whose unit was not found", check.rows, defect);
}

void check_units(const Check& check) {
  if (check.record->privacy_unit == NULL && check.record->link == NULL) return;
  const UnitSource source = unit_source(check.relation, check.record);
  if (source.defect != NULL) return;
  const int most = check.record->max_rows_per_unit;
  const char* query = psprintf(
      "SELECT count(*), coalesce(max(n), 0), "
      "coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY n), 0), count(*) FILTER (WHERE n > "
      "%d), "
      "coalesce(sum(greatest(n - %d, 0)), 0)::bigint, %s - coalesce(sum(n), 0)::bigint "
      "FROM (SELECT count(*) AS n FROM %s WHERE %s IS NOT NULL GROUP BY %s) AS units",
      most, most, psprintf(INT64_FORMAT, check.rows), source.from, source.unit, source.unit);
  int64 units = 0, largest = 0, median = 0, above = 0, lost = 0, nobody = 0;
  read_exactly(check.relation, query, [&](uint64) {
    const ResultRow row;
    units = row.int8(1);
    largest = row.int8(2);
    median = row.int8(3);
    above = row.int8(4);
    lost = row.int8(5);
    nobody = row.int8(6);
  });
  add_number(check, "units", units);
  add_number(check, "rows of a unit, median", median);
  add_number(check, "rows of a unit, most", largest,
             units > 0 && largest * 2 <= most
                 ? "max_rows_per_unit is twice that or more, and noise grows with it"
                 : NULL);
  add_number(check, "units with more than max_rows_per_unit rows", above);
  add_share(check, check.record->privacy_unit, "rows beyond max_rows_per_unit", lost,
            share_of(lost, check.rows) > kManyRows ? "many rows are lost to the answers" : NULL);
  add_share(check, check.record->privacy_unit, "rows without a unit", nobody,
            nobody > 0 ? "no release uses them" : NULL);
  if (source.updates == 0) return;
  add_number(check, "UPDATE statements of the unit's column", source.updates,
             "a row that came to belong to another unit may have spent the budget twice: pass "
             "guard_unit => true to dpmix.protect()");
}

void check_column(const Check& check, AttrNumber attnum, const char* name) {
  ProtectedTable table = {};
  table.id = check.record->id;
  table.relation = check.relation;
  const ColumnDomain domain = column_domain(&table, attnum);
  if (!domain.has_bounds && domain.categories == 0) return;
  int64 nulls = 0;
  read_exactly(
      check.relation,
      psprintf("SELECT count(*) FROM %s WHERE %s IS NULL", check.table, quote_identifier(name)),
      [&](uint64) { nulls = ResultRow().int8(1); });
  add_share(check, name, "NULL", nulls);
  const OwnedColumn column = owned_column(check.record->id, check.relation, name);
  if (domain.by != NULL) {
    check_bounds_by(check, column, domain.by);
  } else if (domain.has_bounds) {
    check_bounds(check, column, domain, {"", ""});
  }
  if (domain.categories > 0) check_categories(check, column, domain);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_check(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const Oid relation = PG_GETARG_OID(0);
  lock_owned(relation, AccessShareLock);
  Check check = {relation, qualified_name(relation), find_catalog_row(relation), 0, {}};
  if (is_waited_for(check)) {
    check.out = begin_rows(fcinfo);
    add_unattached(check);
    return (Datum)0;
  }
  check.record = open_owned(relation, AccessShareLock);
  check.out = begin_rows(fcinfo);
  ereport(NOTICE, (errmsg("these numbers are exact: they are for the owner, not for publication"),
                   errdetail("They are not noisy, and no budget covers them."),
                   errhint("Correct what is declared by what a column means: bounds and categories "
                           "that follow the rows tell of them.")));
  read_exactly(relation, psprintf("SELECT count(*) FROM %s", check.table),
               [&](uint64) { check.rows = ResultRow().int8(1); });
  add_finding(check, NULL, "rows", check.rows, value_if(false, 0.), no_examples(),
              check.rows == 0 ? "the table is empty: every answer is noise alone" : NULL);
  check_records(check);
  check_link(check);
  if (check.rows == 0) return (Datum)0;
  check_units(check);
  for (AttrNumber attnum = 1; SearchSysCacheExists2(ATTNUM, relation, attnum); attnum++) {
    const char* name = get_attname(relation, attnum, true);
    if (name != NULL) check_column(check, attnum, name);
  }
  return (Datum)0;
}
