#include "pg/owner/exact_rows.hpp"

#include "pg/border/run_as.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/relation.hpp"

namespace dpmix::pg {

void read_exactly(Oid relation, const char* query, Callable<void(uint64 rows)> receive) {
  run_as(relation_owner(relation), true, [&] {
    SPI_connect();
    run_text(query, SPI_OK_SELECT);
    receive(SPI_processed);
    SPI_finish();
  });
}

}  // namespace dpmix::pg
