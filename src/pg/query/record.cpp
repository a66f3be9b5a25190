#include "pg/query/record.hpp"

#include "pg/ledger/request.hpp"

#include <cmath>

extern "C" {
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/json.h"
}

namespace dpmix::pg {
namespace {

constexpr int kListBytes = 500;  // of the statistics; the text gets the rest

char* json_string(const char* text, int length) {
  StringInfoData out;
  initStringInfo(&out);
  escape_json(&out, pnstrdup(text, length));
  return out.data;
}

const char* json_number(double value) {  // JSON has no infinities
  return std::isfinite(value) ? psprintf("%.9g", value) : "null";
}

// cells: how many of its numbers neighbours change at most.
char* statistic_object(const QueryStatistic* statistic, const NoiseLaw* law, int cells) {
  const double step = statistic->lattice.step;
  return psprintf(
      "{\"statistic\": %s, \"sensitivity\": %s, \"scale\": %s, \"steps\": %.17g, "
      "\"cells\": %d}",
      json_string(statistic->text, strlen(statistic->text)), json_number(law->sensitivity * step),
      json_number(law->scale * step), law->sensitivity, cells);
}

}  // namespace

const char* query_record(const char* text, const QueryGroups* groups,
                         const QueryStatistics* statistics, const StatisticShift* shifts,
                         const StatisticNoise* noise, const GroupSearch& search) {
  StringInfoData rest;
  initStringInfo(&rest);
  if (groups->discovered) {
    appendStringInfo(&rest, "\"groups\": null, \"coins\": %d, ", search.coins);
  } else {
    appendStringInfo(&rest, "\"groups\": %d, ", groups->count);
  }
  appendStringInfoString(&rest, "\"statistics\": [");
  int listed = 0;
  for (; listed < statistics->count; listed++) {
    const char* object =
        statistic_object(&statistics->statistic[listed], &noise[listed].law, shifts[listed].groups);
    if (rest.len + strlen(object) > kListBytes) break;
    appendStringInfo(&rest, "%s%s", listed > 0 ? ", " : "", object);
  }
  appendStringInfo(&rest, "], \"statistics_left\": %d}", statistics->count - listed);

  // Escaping lengthens the text, so shorten what is escaped until it fits.
  int length = pg_mbcliplen(text, strlen(text), kParameterBytes);
  char* query = json_string(text, length);
  const int space = (int)kParameterBytes - rest.len - (int)strlen("{\"query\": , ");
  while ((int)strlen(query) > space) {
    length = pg_mbcliplen(text, length, length - 1 - (int)(strlen(query) - space) / 6);
    query = json_string(text, length);
  }
  return psprintf("{\"query\": %s, %s", query, rest.data);
}

}  // namespace dpmix::pg
