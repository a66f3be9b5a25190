#include "pg/owner/edition.hpp"

#include "pg/border/statement.hpp"

namespace dpmix::pg {
namespace {

Statement next_edition = {
    "INSERT INTO dpmix.memory_terms AS m (table_id, edition) VALUES ($1, 1) "
    "ON CONFLICT (table_id) DO UPDATE SET edition = m.edition + 1 RETURNING m.edition"};

}  // namespace

int64 begin_edition(int64 record) {
  (void)write_rows(next_edition, {record});
  return ResultRow{}.int8(1);
}

}  // namespace dpmix::pg
