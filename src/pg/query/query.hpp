// A query that may be answered: what dpmix.query and dpmix.preview share.
#pragma once

#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

// The arguments of dpmix.query, preview and query_json. max_rows: the place of the one of that
// name. PV005.
QueryCall query_call(FunctionCallInfo fcinfo, int max_rows);
KeysAsked keys_named(const char* word);  // PV005 unless "auto", "declared" or "discover"

struct QueryChecks {
  GroupsAsked groups = {};
  bool all_blocks = false;
  bool counter = false;     // has the same groups for ever, though it reads other blocks each time
  bool own_scales = false;  // sums of a group may be on a lattice of its own (RowScope)
};
// Checks an analysed text: refuses what may not be asked of these tables by this user. Free, and
// reads no row.
CheckedQuery check_query(const Query* query, const QueryChecks& checks);
QueryChecks checks_of(const QueryCall& call);

// Refuses whatever may be refused. Free, and reads no row. Access comes first, so that nobody
// without it learns more than that. explain: fills in the candidates.
PricedQuery priced_query(const QueryCall& call, bool explain = false);
Outlook table_outlook(const TablePrice* price);
// The outlook of the account or grant that ends first. plans: what each table is charged instead;
// NULL: all of it.
Outlook nearest_outlook(const PricedQuery* priced, const QueryPlan* plans = NULL);

// What a table is charged for a plan, and the charge of the same call at another epsilon.
ChargeRequest request_of(const TablePrice& price);
Spending charge_at(const PricedQuery* priced, const Filter& filter, double epsilon);

}  // namespace dpmix::pg
