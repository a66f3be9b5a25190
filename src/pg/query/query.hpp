// A query that may be answered: what dpmix.query and dpmix.preview share.
#pragma once

#include "core/query/plan.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/query/answer/released_rows.hpp"
#include "pg/query/answer/values.hpp"
#include "pg/query/statistics/contribution.hpp"
#include "pg/query/statistics/scan_tree.hpp"
#include "pg/scan/silent_scan.hpp"

extern "C" {
#include "utils/array.h"
}

namespace dpmix::pg {

struct QueryCall {  // what the caller passed; else the defaults of dpmix.query
  const char* text;
  double epsilon;
  double delta = 0;
  std::optional<Family> mechanism = std::nullopt;  // auto
  ArrayType* params = NULL;                        // none
  bool discover = false;
  std::optional<int> max_groups = std::nullopt;
};
// The arguments of dpmix.query, preview and query_json. PV005.
QueryCall query_call(FunctionCallInfo fcinfo);
bool discovers(const char* keys);  // PV005 unless "declared" or "discover"

// A query that passed the validator, and the statistics behind it.
struct CheckedQuery {
  RowScope scope;
  const QueryShape* shape;
  const QueryGroups* groups;
  const QueryStatistics* statistics;
};
// Reads the text; refuses what may not be asked of these tables by this user. Free, and reads no
// row.
CheckedQuery check_query(const char* text, ArrayType* params, bool discover);

struct TablePrice {  // what a protected table of the query is charged
  const ProtectedTable* table;
  QueryPlan plan;
};

struct PricedQuery : CheckedQuery {  // everything that is known before a row is read
  const char* text;
  const ProtectedTable* table;  // the first protected one
  Contribution unit;            // to this query, at most
  const StatisticShift* shift;  // of each statistic
  QueryRequest request;
  QueryPlan plan;
  StatisticNoise* noise;  // of each statistic
  Candidates candidates;  // if they are to be explained
  EndReach* reach;        // of each released value
  SilentScan* scan;
  SampledUnits* units;  // of the scan; NULL: it does not sample them
  int prices;           // of each protected table, in the order of FROM
  TablePrice* price;
};
// Refuses whatever may be refused. Free, and reads no row. Access comes first, so that nobody
// without it learns more than that. explain: fills in the candidates.
PricedQuery priced_query(const QueryCall& call, bool explain = false);
// Of the table whose budget or grant ends first.
Outlook nearest_outlook(const PricedQuery* priced);

// The caller's result, to be filled. function: its name, for people.
ResultRows begin_answer(FunctionCallInfo fcinfo, const char* function = "query");
// Charges, reads the rows, adds noise and hands out what the caller makes of it.
void answer_query(const PricedQuery* priced, const RowReceiver& receive);

}  // namespace dpmix::pg
