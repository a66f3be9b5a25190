#include "pg/candidates.hpp"

#include <cmath>
#include <string_view>

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
}

namespace dpmix::pg {
namespace {

const char* number(double value) {  // JSON has neither NaN nor infinities
  return std::isfinite(value) ? float8out_internal(value) : "null";
}

// Names and verdicts are texts of dpmix's own, without anything to escape.
void append_text(StringInfo out, const char* key, std::string_view text) {
  appendStringInfo(out, "\"%s\": \"%.*s\"", key, (int)text.size(), text.data());
}

}  // namespace

Candidates make_candidates(int statistics) {
  const Size errors = kFamilies.size() * statistics;
  Candidates candidates;
  candidates.error = {(double*)palloc(sizeof(double) * errors), errors};
  return candidates;
}

Datum candidates_jsonb(const Candidates* candidates, int statistics, int statistic, double step) {
  StringInfoData out;
  initStringInfo(&out);
  for (int c = 0; c < candidates->count; c++) {
    const Candidate* candidate = &candidates->candidate[c];
    const double error = candidates->error[(Size)c * statistics + statistic] * step;
    appendStringInfoString(&out, c == 0 ? "[{" : ", {");
    append_text(&out, "mechanism", name(candidate->family));
    appendStringInfo(&out,
                     ", \"expected_error\": %s, \"epsilon\": %s, \"delta\": %s, "
                     "\"budget_share\": %s, ",
                     number(error), number(candidate->epsilon), number(candidate->delta),
                     number(candidate->price));
    append_text(&out, "verdict", describe(candidate->verdict));
    appendStringInfoChar(&out, '}');
  }
  appendStringInfoChar(&out, ']');
  return DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data));
}

}  // namespace dpmix::pg
