#include "pg/ledger/previewed.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
}

namespace dpmix::pg {
namespace {

Value number(const PreviewRows& out, std::optional<double> exact) {
  const double known = exact.value_or(0);
  return value_if(exact.has_value(), out.details ? known : six_digits(known));
}

Value json(const char* text) {
  if (text == NULL) return {JSONBOID, (Datum)0, true};
  return {JSONBOID, DirectFunctionCall1(jsonb_in, CStringGetDatum(text))};
}

// What ends the calls that are left, first; nothing where they cost nothing.
Value limit_of(const Outlook& outlook) {
  return value_if(outlook.calls != kForEver, outlook.capped ? "cap" : "budget");
}

const char* text_of(const Previewed& row) {
  if (row.half_width) {
    return psprintf("%s: %s noise, 95%% within %.3g", row.statistic, row.mechanism,
                    *row.half_width);
  }
  const double deviation = row.stddev.value_or(0);
  if (deviation == 0) return psprintf("%s: %s", row.statistic, row.mechanism);
  return psprintf("%s: %s noise, standard deviation %.3g", row.statistic, row.mechanism, deviation);
}

}  // namespace

void add_previewed(const PreviewRows& out, const Previewed& row, const Outlook& outlook) {
  if (out.texts != NULL) {
    out.texts->lines = lappend(out.texts->lines, (void*)text_of(row));
    out.texts->outlook = outlook;
    return;
  }
  add_row(out.rows, {row.output, row.statistic, row.mechanism, number(out, row.sensitivity),
                     number(out, row.epsilon), number(out, row.delta), number(out, row.stddev),
                     number(out, row.error), number(out, row.half_width), json(row.candidates),
                     outlook.cost, outlook.delta, number(out, outlook.share), outlook.calls,
                     row.memory, limit_of(outlook), number(out, row.mu)});
}

}  // namespace dpmix::pg
