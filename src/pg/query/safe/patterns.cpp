#include "pg/query/safe/patterns.hpp"

#include <algorithm>

#include "pg/query/safe/times.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace dpmix::pg {
namespace {

// Units from coarse to fine: what has a part that is named here is constant within its unit.
constexpr const char* kUnits[] = {"year", "quarter", "month",  "week",
                                  "day",  "hour",    "minute", "second"};
constexpr int kYear = 0, kQuarter = 1, kMonth = 2, kWeek = 3, kDay = 4, kHour = 5, kMinute = 6,
              kSecond = 7, kPart = 8;

struct Token {
  const char* text;
  int unit;
};
// Longer ones first, as PostgreSQL reads them.
constexpr Token kTokens[] = {
    {"FM", kYear},   {"YYYY", kYear},   {"yyyy", kYear},   {"IYYY", kWeek},   {"iyyy", kWeek},
    {"YY", kYear},   {"yy", kYear},     {"IY", kWeek},     {"CC", kYear},     {"Q", kQuarter},
    {"q", kQuarter}, {"MONTH", kMonth}, {"Month", kMonth}, {"month", kMonth}, {"MON", kMonth},
    {"Mon", kMonth}, {"mon", kMonth},   {"MM", kMonth},    {"mm", kMonth},    {"IW", kWeek},
    {"iw", kWeek},   {"WW", kDay},      {"ww", kDay},      {"DDD", kDay},     {"ddd", kDay},
    {"DD", kDay},    {"dd", kDay},      {"DAY", kDay},     {"Day", kDay},     {"day", kDay},
    {"DY", kDay},    {"Dy", kDay},      {"dy", kDay},      {"ID", kDay},      {"D", kDay},
    {"HH24", kHour}, {"hh24", kHour},   {"HH12", kHour},   {"hh12", kHour},   {"HH", kHour},
    {"hh", kHour},   {"AM", kHour},     {"am", kHour},     {"PM", kHour},     {"pm", kHour},
    {"MI", kMinute}, {"mi", kMinute},   {"SS", kSecond},   {"ss", kSecond},   {"MS", kPart},
    {"US", kPart},
};
constexpr int kMostBytes = 100;  // bytes of a pattern
constexpr int kMostOfToken = 12;

constexpr const char* kPatternHint =
    "Write a constant of YYYY, YY, IYYY, Q, MM, Mon, Month, WW, IW, DD, DDD, Day, Dy, D, ID, HH24, "
    "HH12, AM, MI, SS, MS, US, FM, blanks, - / . , ; : _ and texts in double quotes.";

// The finest part of a pattern, or -1: something else is in it.
int finest_of(const char* pattern) {
  int finest = kYear;
  for (const char* at = pattern; *at != '\0';) {
    if (*at == '"') {
      const char* end = strchr(at + 1, '"');
      if (end == NULL || memchr(at, '\\', (size_t)(end - at)) != NULL) return -1;
      at = end + 1;
      continue;
    }
    if (strchr(" -/.,;:_", *at) != NULL) {
      at++;
      continue;
    }
    const Token* token = std::find_if(std::begin(kTokens), std::end(kTokens), [&](const Token& t) {
      return strncmp(at, t.text, strlen(t.text)) == 0;
    });
    if (token == std::end(kTokens)) return -1;
    finest = std::max(finest, token->unit);
    at += strlen(token->text);
    // TH and SP change what stands before them.
    if (pg_strncasecmp(at, "th", 2) == 0 || pg_strncasecmp(at, "sp", 2) == 0) return -1;
  }
  // Weeks are no parts of months, nor of quarters or years.
  const bool weeks = strchr(pattern, 'I') != NULL || strchr(pattern, 'i') != NULL;
  return weeks && finest <= kWeek ? std::max(finest, kDay) : finest;
}

}  // namespace

const char* unit_of_pattern(const char* pattern) {
  const int finest = finest_of(pattern);
  return finest < 0 || finest >= kPart ? NULL : kUnits[finest];
}

bool safe_pattern_function(const SafeCall* call, SafePart* made) {
  const Oid function = call->function;
  if (function != F_TO_CHAR_TIMESTAMP_TEXT && function != F_TO_CHAR_TIMESTAMPTZ_TEXT) return false;
  const Node* constant = (const Node*)call->part[1].value;
  const char* pattern =
      is_constant(constant) ? TextDatumGetCString(constant_value(constant)) : NULL;
  if (pattern == NULL) {
    refuse_construct("a pattern of to_char that is not a constant is", kPatternHint);
  }
  if (*pattern == '\0' || strlen(pattern) > kMostBytes || finest_of(pattern) < 0) {
    refuse_construct(psprintf("the pattern '%s' of to_char is", pattern), kPatternHint);
  }
  SafeCall within = *call;
  SafePart part[] = {call->part[0], call->part[1]};
  part[0].value = on_clock_of_session(part[0].value);
  within.part = part;
  *made = same_call(&within);
  made->short_text = true;
  made->characters = made->bytes = (double)(kMostOfToken * strlen(pattern));
  // The text, and the buffer that it is copied from.
  call->compiler->scope->bytes->staying += 4 * made->bytes + 512;
  return true;
}

}  // namespace dpmix::pg
