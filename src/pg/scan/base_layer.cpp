#include "pg/scan/base_layer.hpp"

#include "pg/border/compat.hpp"
#include "pg/scan/table_alone.hpp"
#include "pg/trees/subquery.hpp"

namespace dpmix::pg {

void read_whole(Query* query) {
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind == RTE_SUBQUERY) read_whole(entry->subquery);
    if (entry->rtekind != RTE_RELATION || !reads_values_elsewhere(query, varno)) continue;
    become_subquery(entry, take_table_out(query, varno));
  }
}

}  // namespace dpmix::pg
