#include "pg/owner/links.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/citus/distribution.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement leads_round = {
    "WITH RECURSIVE chain(id) AS (SELECT $2 UNION "
    "  SELECT p.unit_through FROM chain JOIN dpmix.protected_table p ON p.id = chain.id "
    "  WHERE p.unit_through IS NOT NULL) SELECT FROM chain WHERE id = $1"};

Statement set_link = {
    "UPDATE dpmix.protected_table SET unit_through = $2, through_relation = $3, link = $4, "
    "  link_attnums = $5::smallint[], target_key = $6, target_attnums = $7::smallint[] "
    "WHERE id = $1"};

// NULL: not given.
char** names_argument(FunctionCallInfo fcinfo, int n, int* count) {
  *count = 0;
  if (PG_ARGISNULL(n)) return NULL;
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(n);
  Datum* element;
  bool* missing;
  deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &element, &missing, count);
  char** names = (char**)palloc(sizeof(char*) * Max(*count, 1));
  for (int i = 0; i < *count; i++)
    names[i] = missing[i] ? NULL : NameStr(*DatumGetName(element[i]));
  return names;
}

[[noreturn]] void refuse_columns(const char* what, const char* detail) {
  refuse_argument(psprintf("%s does not name columns", what), detail,
                  "A link has one column or more, each of them once, and target_key as many: "
                  "link => '{order_id}', target_key => '{id}'.");
}

void require_names(const char* what, char* const* name, int count) {
  if (count < 1 || count > INDEX_MAX_KEYS) {
    refuse_columns(what,
                   psprintf("It has %d of them; an index has up to %d.", count, INDEX_MAX_KEYS));
  }
  for (int i = 0; i < count; i++) {
    if (name[i] == NULL) refuse_columns(what, "One of them is NULL.");
    for (int k = 0; k < i; k++) {
      if (strcmp(name[i], name[k]) != 0) continue;
      refuse_columns(what, psprintf("It names \"%s\" twice.", name[i]));
    }
  }
}

// A link's target is asked about with it: it has the same budget.
void require_target(Oid relation, const char* population, LinkDeclaration* declaration) {
  const Oid target = declaration->target;
  LockRelationOid(target, AccessShareLock);
  const char* name = qualified_name(target);
  if (target == relation) {
    refuse_argument(psprintf("%s cannot be linked with itself", name),
                    "A chain of links ends at a table with a column for the unit.",
                    "Name the table that says whose row it is.");
  }
  const CatalogRow* row = get_rel_name(target) == NULL ? NULL : find_catalog_row(target);
  if (row == NULL || !row->active || row->population == NULL ||
      strcmp(row->population, population) != 0) {
    refuse_argument(psprintf("table %s is not in population \"%s\"", name, population),
                    "A link leads to a protected table of the same population.",
                    psprintf("Protect it first: SELECT dpmix.protect(%s, population => %s, ...).",
                             quote_literal_cstr(name), quote_literal_cstr(population)));
  }
  declaration->record = row->id;
}

// Where target_key is left out.
void take_primary_key(LinkDeclaration* declaration, const List* keys) {
  const ListCell* cell;
  foreach (cell, keys) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    if (!key->primary) continue;
    declaration->target_columns = key->columns;
    declaration->target_name = (char**)palloc(sizeof(char*) * key->columns);
    for (int i = 0; i < key->columns; i++) {
      declaration->target_name[i] = get_attname(declaration->target, key->column[i], false);
    }
    return;
  }
  refuse_argument(
      psprintf("%s has no primary key that a link could use", qualified_name(declaration->target)),
      "It would be an immediate one of plain columns, of a table that is neither inherited from "
      "nor distributed.",
      "State target_key => '{column}'.");
}

void read_columns(Oid relation, LinkDeclaration* declaration) {
  UnitLink* link = &declaration->read;
  *link = {.target = declaration->target,
           .columns = declaration->columns,
           .column = {},
           .target_column = {}};
  for (int i = 0; i < link->columns; i++) {
    link->column[i] = get_attnum(relation, declaration->name[i]);
    link->target_column[i] = get_attnum(link->target, declaration->target_name[i]);
    const char* defect =
        link_defect(relation, link->column[i], link->target, link->target_column[i]);
    if (defect == NULL) continue;
    refuse_argument(
        psprintf("column \"%s\" of %s cannot name a row of %s by its column \"%s\"",
                 declaration->name[i], qualified_name(relation), qualified_name(link->target),
                 declaration->target_name[i]),
        defect,
        "Both are stored columns of one built-in scalar type with an order, or of one enum type; "
        "or both are whole numbers, of any width.");
  }
}

// What puts the unit of each row into a column of its own.
const char* statements_for_unit(const char* table, const LinkDeclaration& declaration) {
  const CatalogRow* row = find_catalog_row(declaration.target);
  const char* const unit = row != NULL ? row->privacy_unit : NULL;
  if (unit == NULL) return "Put the unit into a column of the table.";
  const char* column = quote_identifier(unit);
  const char* target = qualified_name(declaration.target);
  const Oid type = get_atttype(declaration.target, get_attnum(declaration.target, unit));
  StringInfoData keys;
  initStringInfo(&keys);
  for (int i = 0; i < declaration.columns; i++) {
    const char* key = declaration.target_columns == declaration.columns ? declaration.target_name[i]
                                                                        : declaration.name[i];
    appendStringInfo(&keys, "%sl.%s = t.%s", i == 0 ? "" : " AND ",
                     quote_identifier(declaration.name[i]), quote_identifier(key));
  }
  return psprintf(
      "SELECT undistribute_table(%s); ALTER TABLE %s ADD COLUMN %s %s; UPDATE %s AS l SET %s = "
      "t.%s FROM %s AS t WHERE %s; DELETE FROM %s WHERE %s IS NULL; SELECT "
      "create_distributed_table(%s, %s, colocate_with => %s);",
      quote_literal_cstr(table), table, column, format_type_be(type), table, column, column, target,
      keys.data, table, column, quote_literal_cstr(table), quote_literal_cstr(unit),
      quote_literal_cstr(target));
}

}  // namespace

LinkDeclaration link_arguments(FunctionCallInfo fcinfo, int n) {
  LinkDeclaration declaration = {};
  declaration.name = names_argument(fcinfo, n + 1, &declaration.columns);
  declaration.target_name = names_argument(fcinfo, n + 2, &declaration.target_columns);
  if (!PG_ARGISNULL(n)) declaration.target = PG_GETARG_OID(n);
  const bool linked = OidIsValid(declaration.target);
  if (!linked && (declaration.name != NULL || declaration.target_name != NULL)) {
    refuse_argument("link and target_key are about unit_through, and it is not given",
                    "unit_through is the table that says whose row it is.",
                    "Add unit_through => 'table', or leave them out.");
  }
  if (!linked) return declaration;
  require_names("link", declaration.name, declaration.columns);
  if (declaration.target_name != NULL) {
    require_names("target_key", declaration.target_name, declaration.target_columns);
  }
  return declaration;
}

void require_link_declaration(Oid relation, const char* privacy_unit, const char* population,
                              LinkDeclaration* declaration) {
  if (!OidIsValid(declaration->target)) return;
  const char* table = qualified_name(relation);
  if (privacy_unit != NULL) {
    refuse_argument("privacy_unit and unit_through exclude each other",
                    psprintf("Whose a row of %s is, is said by a column of its own or by that of "
                             "another table.",
                             table),
                    "Leave one of them out.");
  }
  if (population == NULL) {
    refuse_argument("unit_through needs a population",
                    "Rows of both tables are about the same people, and have one budget.",
                    "Make one with dpmix.create_population(), protect the other table with "
                    "population => 'name', and then this one.");
  }
  require_target(relation, population, declaration);
  if (is_distributed(relation)) {
    refuse_argument(psprintf("%s is distributed, and cannot be linked", table),
                    "Citus spreads rows by a column of their own, and all rows of one unit have to "
                    "lie together.",
                    psprintf("%s Then protect it with privacy_unit.",
                             statements_for_unit(table, *declaration)));
  }
  const List* keys = declared_unique_keys(declaration->target);
  if (declaration->target_name == NULL) take_primary_key(declaration, keys);
  if (declaration->target_columns != declaration->columns) {
    refuse_columns("link", psprintf("It has %d of them, the key has %d.", declaration->columns,
                                    declaration->target_columns));
  }
  read_columns(relation, declaration);
  if (has_key_of(declaration->read, keys)) return;
  const char* target = qualified_name(declaration->target);
  const char* key =
      column_list(declaration->target, declaration->read.target_column, declaration->columns);
  refuse_argument(
      psprintf("no unique index of %s is on %s", target, key),
      "A link needs one on these columns and no others that is valid, immediate, not partial and "
      "in the types' own order; a table that is inherited from or distributed has none. One of a "
      "partitioned table has the columns that part it.",
      psprintf("CREATE UNIQUE INDEX ON %s %s;", target, key));
}

bool is_same_link(const LinkDeclaration& declaration, const LinkTerms* terms) {
  if (!OidIsValid(declaration.target) || terms == NULL) {
    return !OidIsValid(declaration.target) && terms == NULL;
  }
  bool same = declaration.record == terms->record && declaration.columns == terms->columns;
  for (int i = 0; same && i < terms->columns; i++) {
    same = strcmp(declaration.name[i], terms->name[i]) == 0 &&
           strcmp(declaration.target_name[i], terms->target_name[i]) == 0;
  }
  return same;
}

const char* printed_link(const LinkTerms* terms) {
  if (terms == NULL) return "";
  const auto list = [&](char* const* names) {
    return OidOutputFunctionCall(F_ARRAY_OUT, name_array(names, terms->columns).datum);
  };
  return psprintf(", unit_through => %s, link => %s, target_key => %s",
                  quote_literal_cstr(terms->through), quote_literal_cstr(list(terms->name)),
                  quote_literal_cstr(list(terms->target_name)));
}

void record_link(int64 table_id, const LinkDeclaration& declaration) {
  if (!OidIsValid(declaration.target)) return;
  if (read_rows(leads_round, {table_id, declaration.record}) > 0) {
    refuse_argument("links lead round",
                    psprintf("The units of %s are found through this table already.",
                             qualified_name(declaration.target)),
                    "A chain of links ends at a table with a column for the unit.");
  }
  const int count = declaration.columns;
  const auto numbers = [&](const AttrNumber* column) {
    int64 number[INDEX_MAX_KEYS];
    for (int i = 0; i < count; i++) number[i] = column[i];
    return int8_array(number, count);
  };
  (void)write_rows(set_link, {table_id, declaration.record, declaration.target,
                              name_array(declaration.name, count), numbers(declaration.read.column),
                              name_array(declaration.target_name, count),
                              numbers(declaration.read.target_column)});
}

}  // namespace dpmix::pg
