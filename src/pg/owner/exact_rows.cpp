#include "pg/owner/exact_rows.hpp"

#include "pg/border/run_as.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/relation.hpp"

namespace dpmix::pg {

void read_exactly(Oid relation, const char* query, Callable<void(uint64 rows)> receive) {
  const int level = NewGUCNestLevel();
  set_for_now({"search_path", "pg_catalog, pg_temp"});
  run_as(relation_owner(relation), true, [&] {
    SPI_connect();
    if (SPI_execute(query, true, 0) != SPI_OK_SELECT) elog(ERROR, "no result: %s", query);
    receive(SPI_processed);
    SPI_finish();
  });
  AtEOXact_GUC(false, level);
}

}  // namespace dpmix::pg
