// A query that may be answered: what dpmix.query and dpmix.preview share.
#pragma once

#include "core/query/plan.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/query/statistics/contribution.hpp"
#include "pg/query/answer/answers.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/answer/released_rows.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/query/statistics/scan_tree.hpp"

extern "C" {
#include "utils/array.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

struct TablePrice {  // what a protected table of the query is charged
  const ProtectedTable* table;
  QueryPlan plan;
};

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

struct PricedQuery {  // everything that is known before a row is read
  const char* text;
  RowScope scope;
  const ProtectedTable* table;  // the first protected one
  const QueryShape* shape;
  const QueryStatistics* statistics;
  const QueryGroups* groups;
  Contribution unit;            // to this query, at most
  const StatisticShift* shift;  // of each statistic
  QueryRequest request;
  QueryPlan plan;
  StatisticNoise* noise;  // of each statistic
  Candidates candidates;  // if they are to be explained
  EndReach* reach;        // of each released value
  SilentScan* scan;
  int prices;  // of each protected table, in the order of FROM
  TablePrice* price;
};

// Reads the arguments; refuses whatever may be refused. Free, and reads no row. Access comes first,
// so that nobody without it learns more than that.
PricedQuery prepare(FunctionCallInfo fcinfo, bool explain);

// Of the table whose budget or grant ends first.
Outlook nearest_outlook(const PricedQuery* priced);

// The caller's result, to be filled; its columns in *columns. function: its name, for people.
Tuplestorestate* begin_result(FunctionCallInfo fcinfo, TupleDesc* columns,
                              const char* function = "query");

// Charges, reads the rows, adds noise and hands out what the caller makes of it.
void answer_query(const PricedQuery* priced, OutputReceiver receiver);

}  // namespace dpmix::pg
