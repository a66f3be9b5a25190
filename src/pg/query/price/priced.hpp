// What is known of a query before a row is read: as called, as checked, as priced.
#pragma once

#include "core/query/plan.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/query/answer/released_rows.hpp"
#include "pg/query/answer/values.hpp"
#include "pg/query/blocks/narrowing.hpp"
#include "pg/query/statistics/contribution.hpp"
#include "pg/query/statistics/scan_tree.hpp"
#include "pg/scan/silent_scan.hpp"

extern "C" {
#include "utils/array.h"
}

namespace dpmix::pg {

// A release whose tables are all kept.
struct KeptAs {
  const char *kind = NULL, *name = NULL;  // a word of the ledger; the name of what is stored
};

struct QueryCall {  // what the caller passed; else the defaults of dpmix.query
  const char* text;
  double epsilon;
  double delta = 0;
  std::optional<Family> mechanism = std::nullopt;  // auto
  bool accurate = false;                           // auto goes by error alone
  ArrayType* params = NULL;                        // none
  KeysAsked keys = KeysAsked::automatic;
  std::optional<int> max_groups = std::nullopt;
  std::optional<int> max_rows = std::nullopt;  // the owner's
  bool all_blocks = false;                     // all blocks of tables that have any, up to now
  const Query* analysed = NULL;                // the text, where that is done already
  // What memory goes by where constants of the text change from one call to the next (now() that
  // was evaluated): the text with what they were made of, and the values of true parameters, in one
  // form for one question. Such answers are shown again, never combined. NULL: by the expressions.
  const char* question = NULL;
  // The most that half of a 95% interval may be: the one that the query asks for first, or that of
  // its first aggregate. Then epsilon is the least that keeps it, and not more than the one above.
  std::optional<double> half_width = std::nullopt;
  double group_rows = 0;     // rows a group is thought to have, where the interval depends on them
  bool intervals = false;    // of what is released are needed besides those that the query asks for
  bool one_lattice = false;  // for the sums of all groups, as cubes keep them
  // The release that it is stored as: charged as such, and each time. No name: a query.
  KeptAs kept = {};
};

// A query that passed the validator, and the statistics behind it.
struct CheckedQuery {
  RowScope scope;
  const QueryShape* shape;
  const QueryGroups* groups;
  const QueryStatistics* statistics;
  BlocksRead* blocks;  // those of each source
  const char* quanta;  // those that constants were rounded to
};

struct TablePrice {               // what an account is charged: a table's own, or a population's
  const ProtectedTable* table;    // the first of the query's that have it
  const ProtectedTable** others;  // the further ones
  int other_count;
  bool has_blocks;    // any of them
  BlocksRead blocks;  // all that are read of those that have blocks
  QueryPlan plan;
};

struct PricedQuery : CheckedQuery {  // everything that is known before a row is read
  const char* text;
  const char* question;         // the call's
  KeptAs kept;                  // the call's
  const Query* moving;          // as analyse_query_text() gives it
  const ProtectedTable* table;  // the first protected one
  Contribution unit;            // a unit's to this query, at most
  const StatisticShift* shift;  // each statistic's
  UnitWeighing* weighing;       // NULL: no rows are weighed
  std::optional<JointPrice> joint;
  QueryRequest request;
  QueryPlan plan;
  StatisticNoise* noise;  // each statistic's
  bool explained;
  Candidates candidates;              // if it is
  std::optional<MoreAccurate> other;  // mechanism
  EndReach* reach;                    // each released value's
  SilentScan* scan;
  RowMemory* memory;  // the scan's; NULL: it remembers nothing of rows
  KeyShares shares;   // shares of the keys that it finds: a run for each
  int prices;         // how many accounts pay; their prices are in the order of FROM
  TablePrice* price;
};

}  // namespace dpmix::pg
