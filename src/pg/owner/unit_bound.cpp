// set_max_rows_per_unit: how many rows of a unit later releases use.
//
// Neighbours differ in all rows of a unit, however many: the bound is no part of what was promised
// (docs/proofs/suggestions.md), so it may change after charges. Each release weighs or draws
// rows, and makes its noise, for the bound that it found.
#include "core/base/adjacency.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_set_max_rows_per_unit);
}

namespace dpmix::pg {
namespace {

Statement update_bound = {"UPDATE dpmix.protected_table SET max_rows_per_unit = $2 WHERE id = $1"};

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_set_max_rows_per_unit(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(0);
  const int most = PG_GETARG_INT32(1);
  const CatalogRow* row = open_owned(relation, ShareUpdateExclusiveLock);
  if (row->link != NULL) require_rows_of_unit(most);
  const bool several = row->link != NULL || require_privacy_unit(relation, row->privacy_unit, most);
  if (several && row->label != NULL) {
    refuse_argument(psprintf("a unit of %s has one row", qualified_name(relation)),
                    "Its adjacency is label, which protects the label of one row.",
                    "Leave max_rows_per_unit at 1.");
  }
  as_catalog_owner([&] { write_rows(update_bound, {row->id, most}); });
  comment_facades(row->id);
  PG_RETURN_VOID();
}
