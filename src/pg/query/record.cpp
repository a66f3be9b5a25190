#include "pg/query/record.hpp"

#include <cmath>

#include "pg/ledger/charge_texts.hpp"
#include "pg/query/check/grouping_sets.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/json.h"
}

namespace dpmix::pg {
namespace {

constexpr int kSetBytes = 500;   // for the grouping sets
constexpr int kListBytes = 500;  // for the statistics; the text gets the rest
constexpr int kRestBytes = 880;  // for all but the text

char* json_string(const char* text, int length) {
  StringInfoData out;
  initStringInfo(&out);
  escape_json(&out, pnstrdup(text, length));
  return out.data;
}

const char* json_number(double value) {  // JSON has no infinities
  return std::isfinite(value) ? psprintf("%.9g", value) : "null";
}

void append_sets(StringInfo out, const PricedQuery* priced) {
  const QueryCube* cube = priced->groups->cube;
  if (cube == NULL) return;
  const int begin = out->len;
  appendStringInfoString(out, "\"grouping_sets\": [");
  int listed = 0;
  for (int set = 0; set < cube->sets->count; set++) {
    const char* text = set_text(&priced->scope, priced->shape, set);
    const char* object = psprintf("{\"groups\": %s, \"noise\": %.6g}",
                                  json_string(text, strlen(text)), std::sqrt(cube->variance[set]));
    if (out->len - begin + strlen(object) > kSetBytes) break;
    appendStringInfo(out, "%s%s", listed++ > 0 ? ", " : "", object);
  }
  appendStringInfo(out, "], \"grouping_sets_left\": %d, ", cube->sets->count - listed);
}

}  // namespace

char* recorded_statistic(const char* text, double step, const NoiseLaw& law, int cells) {
  return psprintf(
      "{\"statistic\": %s, \"sensitivity\": %s, \"scale\": %s, \"steps\": %.17g, "
      "\"cells\": %d%s}",
      json_string(text, strlen(text)), json_number(law.sensitivity * step),
      json_number(law.scale * step), law.sensitivity, cells,
      is_of_box(law) ? psprintf(", \"together\": %d", law.components) : "");
}

const char* query_record(const PricedQuery* priced, const ChargeRequest& request,
                         const StatisticNoise* noise, const GroupSearch& search,
                         double difference_mu) {
  const QueryGroups* groups = priced->groups;
  const QueryStatistics* statistics = priced->statistics;
  StringInfoData rest;
  initStringInfo(&rest);
  append_other_tables(&rest, request);
  if (groups->discovered) {
    appendStringInfo(&rest, "\"groups\": null, \"found_by\": \"%s\", ", name(search.kind).data());
    if (search.kind == SearchKind::coin) {
      appendStringInfo(&rest, "\"coins\": %d, ", search.groups);
    } else {
      appendStringInfo(&rest, "\"shown_from\": %.9g, ", search.shown_from);
      if (search.weight_bits > 0) appendStringInfo(&rest, "\"keys\": %d, ", search.keys);
    }
  } else {
    appendStringInfo(&rest, "\"groups\": %d, ", groups->count);
  }
  append_sets(&rest, priced);
  if (difference_mu > 0) appendStringInfo(&rest, "\"difference_mu\": %.17g, ", difference_mu);
  appendStringInfoString(&rest, "\"statistics\": [");
  const int list_begin = rest.len;
  int listed = 0, left = 0;
  for (int i = 0; i < statistics->count; i++) {
    if (noise[i].law.scale == 0) continue;
    const char* object =
        recorded_statistic(statistics->statistic[i].text, statistics->statistic[i].step(),
                           noise[i].law, priced->shift[i].groups);
    const int bytes = rest.len + (int)strlen(object);
    if (left > 0 || bytes - list_begin > kListBytes || bytes > kRestBytes) {
      left++;
    } else {
      appendStringInfo(&rest, "%s%s", listed++ > 0 ? ", " : "", object);
    }
  }
  appendStringInfo(&rest, "], \"statistics_left\": %d}", left);
  return with_clipped_text("query", priced->text, rest.data);
}

}  // namespace dpmix::pg
