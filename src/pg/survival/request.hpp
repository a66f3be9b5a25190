// What a call of dpmix.release_survival asks for: a query that counts people by bin of time, what
// became of them, and group, all of whose cells are kept.
#pragma once

#include "pg/cube/request.hpp"

namespace dpmix::pg {

struct SurvivalCall {
  CubeCall cube;
  const char *duration, *event, *by;  // columns; by: NULL: one group
  const char* censored;               // the value of event that is none; NULL: the usual one
  int bins;
  double until;
  bool one_time;  // times are whole numbers: each bin has one
};
SurvivalCall survival_call(FunctionCallInfo fcinfo);

struct SurvivalPlan {
  PricedQuery priced;
  int censored;  // which of the values of event
  int kinds;     // the others
  int groups;
  double stddev;  // that of the noise in a cell
};
// Refuses whatever may be refused. Free, and reads no row.
SurvivalPlan survival_plan(const SurvivalCall& call);

// A value of a key as a text.
const char* key_text(const KeyColumn& key, int place);

}  // namespace dpmix::pg
