// What may be known of a view over protected tables before it is asked: whose rows it makes, how
// many of a person, and bounds and values of its columns. Of text and declarations alone.
#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/column_origin.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/layers/source.hpp"
#include "pg/query/read/facades.hpp"
#include "pg/query/read/views.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_view_terms);
PG_FUNCTION_INFO_V1(dpmix_view_columns);
}

namespace dpmix::pg {
namespace {

// NULL: it is no such view.
const ProtectedTable* table_of_view(FunctionCallInfo fcinfo) {
  const Oid view = table_of_facade(PG_GETARG_OID(0));
  if (!is_private_view(view)) return NULL;
  return table_of_text(psprintf("SELECT * FROM %s", qualified_name(view)));
}

Value names_of(const List* tables) {
  const char** names = (const char**)palloc(sizeof(char*) * list_length(tables));
  int count = 0;
  const ListCell* cell;
  foreach (cell, tables) names[count++] = ((const ProtectedTable*)lfirst(cell))->name;
  return text_array(names, count);
}

// Of what the view of a name is exposed as, the facade that was made first.
Statement first_of_view = {
    "SELECT v.oid, f.default_epsilon, f.default_delta, f.max_epsilon_per_query "
    "FROM dpmix.facade f JOIN pg_class w ON w.oid = $1 AND w.relname = f.of_view "
    "JOIN pg_namespace wn ON wn.oid = w.relnamespace AND wn.nspname = f.of_schema "
    "JOIN pg_class v ON v.oid = f.view AND v.relname = f.view_name "
    "JOIN pg_namespace n ON n.oid = v.relnamespace AND n.nspname = f.schema_name "
    "ORDER BY f.id LIMIT 1"};

struct FirstFacade {
  Oid view;  // InvalidOid: there is none
  Value epsilon, delta, most;
};

FirstFacade first_facade(Oid view) {
  const Value none = value_if(false, 0.0);
  FirstFacade found = {InvalidOid, none, none, none};
  as_catalog_owner([&] {
    if (read_rows(first_of_view, {view}) == 0) return;
    const ResultRow row;
    found = {row.oid(1), value_if(!row.is_null(2), row.float8(2)),
             value_if(!row.is_null(3), row.float8(3)), value_if(!row.is_null(4), row.float8(4))};
  });
  return found;
}

Value relation_if(Oid relation) {
  return value_if(OidIsValid(relation), Value(REGCLASSOID, ObjectIdGetDatum(relation)));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

// view_terms(view) RETURNS TABLE (tables text[], adjacency text, most_rows int, facade regclass,
//     default_epsilon float8, default_delta float8, max_epsilon_per_query float8)
Datum dpmix_view_terms(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  const ProtectedTable* table = table_of_view(fcinfo);
  if (table == NULL) return (Datum)0;
  const FirstFacade facade = first_facade(table_of_facade(PG_GETARG_OID(0)));
  add_row(rows, {names_of(table->made->tables), name(table->adjacency).data(),
                 (int32)(table->samples_units ? table->rows_of_unit : 1), relation_if(facade.view),
                 facade.epsilon, facade.delta, facade.most});
  return (Datum)0;
}

// view_columns(view) RETURNS TABLE (place int, column_name text, type oid, is_unit boolean,
//     lower float8, upper float8, categories text[], of_relation regclass, of_column name)
Datum dpmix_view_columns(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  const ProtectedTable* table = table_of_view(fcinfo);
  if (table == NULL) return (Datum)0;
  const MadeRows* made = table->made;
  const Oid view = table_of_facade(PG_GETARG_OID(0));
  for (int i = 1; i <= made->columns; i++) {
    const MadeColumn& column = made_column(made, (AttrNumber)i);
    const ColumnDomain known = made->domain(made, (AttrNumber)i);
    const ColumnOrigin origin = only_origin_of_column(view, (AttrNumber)i);
    const bool plain = OidIsValid(origin.relation);
    add_row(rows, {(int32)i, column.name, column.asked, column.is_unit,
                   value_if(known.has_bounds, known.lower), value_if(known.has_bounds, known.upper),
                   value_if(known.categories > 0, text_array(known.category, known.categories)),
                   relation_if(origin.relation),
                   name_value(plain ? get_attname(origin.relation, origin.column, false) : NULL)});
  }
  return (Datum)0;
}
