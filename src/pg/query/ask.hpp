// Asking a query that was priced: what dpmix.query and dpmix.query_json share.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/query/answer/column_intervals.hpp"
#include "pg/query/recall/recall.hpp"

namespace dpmix::pg {

// The caller's result, to be filled. function: its name, for people.
ResultRows begin_answer(FunctionCallInfo fcinfo, const char* function = "query");
// Called in the caller's session: puts the rows that a release process makes of the same call.
Datum release_query(FunctionCallInfo fcinfo, const ResultRows& rows);
// Takes from memory what is there; charges the rest, reads the rows, adds noise and keeps it; hands
// out what the caller makes of it. before: of the charge, when it is known. columns: as of
// begin_putting().
using BeforeCharge = Callable<void(const Recall& recalled)>;
void answer_query(const PricedQuery* priced, const RowReceiver& receive, const BeforeCharge& before,
                  ColumnIntervals** columns = NULL);
inline void answer_query(const PricedQuery* priced, const RowReceiver& receive) {
  answer_query(priced, receive, [](const Recall&) {});
}

// Charges, reads the rows and adds noise, whatever memory has, and keeps it: the noisy cells of all
// groups, which are declared, as they were drawn. Its charge.
struct DrawnCells {
  const Int128* cell;  // [group * cells of a group + cell]
  int64 charge;
};
DrawnCells draw_groups(const PricedQuery* priced);

}  // namespace dpmix::pg
