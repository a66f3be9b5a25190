#include "pg/memory/settings.hpp"

#include <climits>
#include <limits>

#include "pg/border/settings.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

int keep = 24 * 60 * 60;     // seconds
int per_answer = 16 * 1024;  // kB
int per_grant = 64 * 1024;   // kB
int max_age = -1;            // seconds; -1: any

}  // namespace

void memory_settings_init() {
  DefineCustomIntVariable(
      "dpmix.memory_keep", "How long noisy answers are kept of tables whose owner did not say.",
      "0 keeps none. Releases go by the configuration and ALTER DATABASE, not by SET.", &keep, keep,
      0, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
  DefineCustomIntVariable("dpmix.memory_per_answer", "The largest answer that is kept.",
                          "What is larger is charged each time.", &per_answer, per_answer, 0,
                          MAX_KILOBYTES, PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
  DefineCustomIntVariable("dpmix.memory_per_grant", "How much is kept for each grant.",
                          "The oldest answers of the same grant go first.", &per_grant, per_grant,
                          0, MAX_KILOBYTES, PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
  DefineCustomIntVariable("dpmix.max_age", "How old an answer from memory may be.",
                          "-1: as old as the table's owner allows. 0: every answer is new, and "
                          "charged.",
                          &max_age, max_age, -1, INT_MAX, PGC_USERSET, GUC_UNIT_S, NULL, NULL,
                          NULL);
}

double default_keep_seconds() {
  return keep;
}

double answer_limit_bytes() {
  return per_answer * 1024.;
}

double grant_limit_bytes() {
  return per_grant * 1024.;
}

double asked_age_seconds() {
  if (in_release_process()) {
    StringInfoData in = order_attachment();
    return in.len >= (int)sizeof(double) ? pq_getmsgfloat8(&in)
                                         : std::numeric_limits<double>::infinity();
  }
  return max_age >= 0 && counts_for_current_user("dpmix.max_age")
             ? max_age
             : std::numeric_limits<double>::infinity();
}

bool shows_again(double keep_seconds) {
  constexpr double kSoon = 60;  // seconds
  return Min(keep_seconds, asked_age_seconds()) >= kSoon;
}

StringInfoData asked_age_attachment() {
  StringInfoData out;
  initStringInfo(&out);
  pq_sendfloat8(&out, asked_age_seconds());
  return out;
}

}  // namespace dpmix::pg
