// What may be known of a view over protected tables before it is asked: whose rows it makes, how
// many of a person, and bounds and values of its columns. Of text and declarations alone.
#include "pg/border/result_rows.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/layers/source.hpp"
#include "pg/query/read/views.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_view_terms);
PG_FUNCTION_INFO_V1(dpmix_view_columns);
}

namespace dpmix::pg {
namespace {

// NULL: it is no such view.
const ProtectedTable* table_of_view(FunctionCallInfo fcinfo) {
  const Oid view = PG_GETARG_OID(0);
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

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

// view_terms(view) RETURNS TABLE (tables text[], adjacency text, most_rows int)
Datum dpmix_view_terms(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  const ProtectedTable* table = table_of_view(fcinfo);
  if (table == NULL) return (Datum)0;
  add_row(rows, {names_of(table->made->tables), name(table->adjacency).data(),
                 (int32)(table->samples_units ? table->rows_of_unit : 1)});
  return (Datum)0;
}

// view_columns(view) RETURNS TABLE (place int, column_name text, type oid, is_unit boolean,
//     lower float8, upper float8, categories text[])
Datum dpmix_view_columns(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  const ProtectedTable* table = table_of_view(fcinfo);
  if (table == NULL) return (Datum)0;
  const MadeRows* made = table->made;
  for (int i = 1; i <= made->columns; i++) {
    const MadeColumn& column = made_column(made, (AttrNumber)i);
    const ColumnDomain known = made->domain(made, (AttrNumber)i);
    add_row(rows, {(int32)i, column.name, column.asked, column.is_unit,
                   value_if(known.has_bounds, known.lower), value_if(known.has_bounds, known.upper),
                   value_if(known.categories > 0, text_array(known.category, known.categories))});
  }
  return (Datum)0;
}
