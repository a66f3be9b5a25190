// The statistics that most aggregates are made of: numbers of values, sums, and sums of squares.
#pragma once

#include "pg/query/safe/expression.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct AskedStatistics {
  QueryStatistics* list;  // they are added to this
  const RowScope* scope;
  const QueryShape* shape;
  const QueryAggregate* aggregate;
  int most_cells;  // that a column is cut into
  bool drawn;      // quantiles are
};

// Each function returns the index in the list. This: the count of rows with a value; NULL: of all.
int add_count(const AskedStatistics& asked, Expr* value);
// centred: about the middle of the bounds; else from 0.
int add_sum(const AskedStatistics& asked, const SafeNumber& number, bool centred);
int add_squares(const AskedStatistics& asked, const SafeNumber& number, const Lattice& centred);

// What averages are made of, and with squares what variances are. An average divides by how many
// values its sum has: their bounds may have given them one.
AggregateParts add_moments(const AskedStatistics& asked, const SafeNumber& number, bool squares);
SafeNumber asked_number(const AskedStatistics& asked);  // the argument

}  // namespace dpmix::pg
