#include "pg/release/asked_table.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/layers/source.hpp"
#include "pg/query/read/facades.hpp"
#include "pg/query/read/views.hpp"

namespace dpmix::pg {

ProtectedTable* asked_table(FunctionCallInfo fcinfo, int relation, int source) {
  if (PG_ARGISNULL(relation) == PG_ARGISNULL(source)) {
    const bool neither = PG_ARGISNULL(source);
    refuse_argument(
        neither ? "neither relation nor source is given" : "both relation and source are given",
        "A release is of the rows of one table, or of those that a SELECT makes.",
        "Pass relation => 'visits', or source => $$SELECT patient_id, count(*) AS "
        "visits FROM visits GROUP BY patient_id$$.");
  }
  if (!PG_ARGISNULL(source)) return table_of_text(text_argument(fcinfo, source));
  const Oid named = table_of_facade(PG_GETARG_OID(relation));
  if (is_private_view(named)) {
    return table_of_text(psprintf("SELECT * FROM %s", qualified_name(named)));
  }
  return open_protected_units(named);
}

const char* source_of(const ProtectedTable* table) {
  return table->made != NULL ? table->made->text : NULL;
}

}  // namespace dpmix::pg
