#include "pg/release/terms.hpp"

#include "pg/catalog/made_rows.hpp"

namespace dpmix::pg {

ChargeRequest charge_request(const Terms& terms) {
  return {.table = terms.table,
          .kind = terms.kind,
          .mechanism = terms.mechanism,
          .epsilon = terms.epsilon,
          .delta = terms.delta,
          .own = terms.own ? &*terms.own : NULL,
          .parameters = NULL,
          .blocks = terms.blocks.range,
          .block_count = terms.blocks.count};
}

// All tables are of one account, and each grant pays for all blocks that are read.
ChargeRequests charge_requests(const Terms& terms) {
  const MadeRows* made = terms.table->made;
  const int tables = made != NULL ? list_length(made->tables) : 1;
  ChargeRequests all = {0, (ChargeRequest*)palloc0(sizeof(ChargeRequest) * tables)};
  for (int i = 0; i < tables; i++) {
    const ProtectedTable* table =
        made != NULL ? (const ProtectedTable*)list_nth(made->tables, i) : terms.table;
    ChargeRequest* with = NULL;
    for (int j = 0; j < all.count; j++) {
      ChargeRequest* request = &all.request[j];
      const bool room = request->other_count < kMostTables - 1;
      if (request->table->granted_to == table->granted_to && room) with = request;
    }
    if (with != NULL) {
      const ProtectedTable** others = (const ProtectedTable**)with->others;
      others[with->other_count++] = table;
      continue;
    }
    ChargeRequest* request = &all.request[all.count++];
    *request = charge_request(terms);
    request->table = table;
    request->others = (const ProtectedTable**)palloc(sizeof(void*) * (kMostTables - 1));
    if (made == NULL) continue;
    const bool reads_none = made->has_blocks && made->blocks.count == 0;
    request->blocks = reads_none ? &kNoBlock : made->blocks.range;
    request->block_count = reads_none ? 1 : made->blocks.count;
  }
  return all;
}

Outlook outlook_of(const Terms& terms, const PeriodsAhead* ahead) {
  const ChargeRequests all = charge_requests(terms);
  Outlook nearest = {};
  for (int i = 0; i < all.count; i++) {
    const Outlook outlook = outlook_of(all.request[i], ahead);
    if (i == 0 || outlook.calls < nearest.calls) nearest = outlook;
  }
  return nearest;
}

}  // namespace dpmix::pg
