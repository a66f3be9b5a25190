// dpmix.receipt and dpmix.verify_receipts: what the ledger worker wrote for outsiders, and whether
// the record still agrees with it.
#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/record.hpp"
#include "pg/report/seen_charge.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_receipt);
PG_FUNCTION_INFO_V1(dpmix_verify_receipts);
}

namespace dpmix::pg {
namespace {

Statement kept = {"SELECT receipt, salt FROM dpmix.charge WHERE id = $1"};

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_receipt(PG_FUNCTION_ARGS) {
  const int64 id = PG_GETARG_INT64(0);
  require_seen(id);
  Datum lines = (Datum)0, salt = (Datum)0;
  as_catalog_owner([&] {
    (void)read_rows(kept, {id});
    const ResultRow row;
    if (row.is_null(1) || row.is_null(2)) elog(ERROR, "charge " INT64_FORMAT " has no receipt", id);
    lines = row.copy(1);
    salt = row.copy(2);
  });
  return row_datum(fcinfo, {Value(TEXTOID, lines), Value(BYTEAOID, salt)});
}

Datum dpmix_verify_receipts(PG_FUNCTION_ARGS) {
  return record_rows(fcinfo, "SELECT * FROM dpmix_internal.verified_receipts($1)",
                     {Value(REGCLASSOID, PG_GETARG_DATUM(0), PG_ARGISNULL(0))});
}
