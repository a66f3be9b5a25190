#include "pg/report/seen_charge.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"

namespace dpmix::pg {
namespace {

// Runs as the caller, who is its viewer.
Statement seen = {"SELECT FROM dpmix.charges(id => $1)"};

}  // namespace

void require_seen(int64 id) {
  SPI_connect();
  const bool visible = read_rows(seen, {id}) == 1;
  SPI_finish();
  if (visible) return;
  refuse(ErrorCode::not_protected,
         psprintf("there is no charge " INT64_FORMAT ", or it is not yours to see", id),
         "A charge is shown to the owner of its table and to the role that was charged.",
         "The charges that you may see are in dpmix.ledger.");
}

}  // namespace dpmix::pg
