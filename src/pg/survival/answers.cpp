// What stored survival curves say. Free: post-processing.
#include <algorithm>
#include <cmath>

#include "core/base/normal_reach.hpp"
#include "core/base/normal_tail.hpp"
#include "core/survival/drawn_curve.hpp"
#include "core/survival/hazard_ratios.hpp"
#include "core/survival/log_rank.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/survival/store.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_survival);
PG_FUNCTION_INFO_V1(dpmix_survival_incidence);
PG_FUNCTION_INFO_V1(dpmix_survival_mean);
PG_FUNCTION_INFO_V1(dpmix_survival_test);
PG_FUNCTION_INFO_V1(dpmix_survival_ratios);
}

namespace dpmix::pg {
namespace {

struct PlainBand {  // in plain memory
  int points;
  BandPoint* point;
  double* drawn;  // the curve as people expect it; NULL: not asked for
};

// make(table): inside guard().
template <class Make>
PlainBand band_of(const SurvivalTable& table, bool drawn, bool rises, const Make& make) {
  const Size most = (Size)table.bins;
  PlainBand plain = {0, (BandPoint*)palloc(most * sizeof(BandPoint)),
                     (double*)palloc(most * sizeof(double))};
  guard([&] {
    const Band band = make(table);
    std::copy(band.begin(), band.end(), plain.point);
    plain.points = (int)band.size();
    if (drawn) std::ranges::copy(drawn_curve(band, rises), plain.drawn);
  });
  return plain;
}

double level_argument(FunctionCallInfo fcinfo, int n) {
  require_argument(fcinfo, n);
  return checked_level(PG_GETARG_FLOAT8(n));
}

const char* group_of(const StoredSurvival& stored, Size group) {
  return stored.groups != NULL ? stored.groups[group] : NULL;
}

// The kinds that are asked for: of one event, or all.
int kind_argument(FunctionCallInfo fcinfo, int n, const StoredSurvival& stored) {
  const char* event = text_argument(fcinfo, n);
  if (event == NULL) return 0;
  for (int kind = 0; kind < stored.model->kinds(); kind++) {
    if (strcmp(stored.kinds[kind], event) == 0) return kind + 1;
  }
  StringInfoData known;
  initStringInfo(&known);
  for (int kind = 0; kind < stored.model->kinds(); kind++) {
    appendStringInfo(&known, "%s%s", kind > 0 ? ", " : "", stored.kinds[kind]);
  }
  refuse_argument(psprintf("\"%s\" is no event of the release", quoted_prefix(event)),
                  psprintf("Its events are %s.", known.data), "Name one of them.");
}

int last_bin(FunctionCallInfo fcinfo, int n, const SurvivalModel& model) {
  const double until = float8_argument(fcinfo, n).value_or(model.until);
  const double bin = std::round(until / model.width());
  if (!(bin >= 1 && bin <= model.bins() &&
        std::fabs(bin * model.width() - until) <= 1e-9 * until)) {
    refuse_argument(
        "until is no end of a bin",
        psprintf("It is %g; bins are %g wide and end at %g.", until, model.width(), model.until),
        "Pass a multiple of that width.");
  }
  return (int)bin;
}

void require_groups(const StoredSurvival& stored) {
  if (stored.model->groups.size() >= 2) return;
  refuse_argument("there is one group", "It takes several to compare.",
                  "Release curves by a column: by => 'arm'.");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_survival(PG_FUNCTION_ARGS) {
  const StoredSurvival stored = load_survival(release_argument(fcinfo, 0));
  const double level = level_argument(fcinfo, 1);
  const ResultRows rows = begin_rows(fcinfo);
  for (Size g = 0; g < stored.model->groups.size(); g++) {
    const SurvivalTable& table = stored.model->groups[g];
    const PlainBand band = band_of(
        table, true, false, [&](const SurvivalTable& of) { return survival_band(of, level); });
    double people = 0, before = 0;
    for (int bin = 0; bin <= table.bins; bin++) people += table.censored(bin) + table.events(bin);
    for (int bin = 0; bin < band.points; bin++) {
      const BandPoint& point = band.point[bin];
      add_row(rows,
              {group_of(stored, g), stored.model->time(bin), people - before, table.events(bin),
               band.drawn[bin], point.noise.low, point.noise.high, point.all.low, point.all.high});
      before += table.censored(bin) + table.events(bin);
    }
  }
  return (Datum)0;
}

Datum dpmix_survival_incidence(PG_FUNCTION_ARGS) {
  const StoredSurvival stored = load_survival(release_argument(fcinfo, 0));
  const int asked = kind_argument(fcinfo, 1, stored);
  const double level = level_argument(fcinfo, 2);
  const ResultRows rows = begin_rows(fcinfo);
  for (Size g = 0; g < stored.model->groups.size(); g++) {
    for (int kind = 1; kind <= stored.model->kinds(); kind++) {
      if (asked != 0 && kind != asked) continue;
      CHECK_FOR_INTERRUPTS();
      const PlainBand band =
          band_of(stored.model->groups[g], true, true,
                  [&](const SurvivalTable& of) { return incidence_band(of, kind, level); });
      for (int bin = 0; bin < band.points; bin++) {
        const BandPoint& point = band.point[bin];
        add_row(rows, {group_of(stored, g), stored.kinds[kind - 1], stored.model->time(bin),
                       band.drawn[bin], point.noise.low, point.noise.high, point.all.low,
                       point.all.high});
      }
    }
  }
  return (Datum)0;
}

Datum dpmix_survival_mean(PG_FUNCTION_ARGS) {
  const StoredSurvival stored = load_survival(release_argument(fcinfo, 0));
  const int last = last_bin(fcinfo, 1, *stored.model);
  const double level = level_argument(fcinfo, 2), width = stored.model->width();
  const ResultRows rows = begin_rows(fcinfo);
  for (Size g = 0; g < stored.model->groups.size(); g++) {
    const PlainBand band =
        band_of(stored.model->groups[g], false, false,
                [&](const SurvivalTable& of) { return mean_time_intervals(of, width, level); });
    const bool told = band.points >= last;
    const BandPoint point = told ? band.point[last - 1] : BandPoint{};
    add_row(rows, {group_of(stored, g), last * width, value_if(told, point.estimate),
                   value_if(told, point.noise.low), value_if(told, point.noise.high),
                   value_if(told, point.all.low), value_if(told, point.all.high)});
  }
  return (Datum)0;
}

Datum dpmix_survival_test(PG_FUNCTION_ARGS) {
  const StoredSurvival stored = load_survival(release_argument(fcinfo, 0));
  require_groups(stored);
  const std::optional<LogRank> test = guard([&] { return log_rank(stored.model->groups); });
  const bool known = test.has_value();
  const LogRank told = test.value_or(LogRank{0, 0, 0, 0});
  const int degrees = (int)stored.model->groups.size() - 1;
  const double until = known ? told.bins * stored.model->width() : 0;
  return row_datum(
      fcinfo, {value_if(known, told.statistic), degrees, value_if(known, told.p_value), until});
}

Datum dpmix_survival_ratios(PG_FUNCTION_ARGS) {
  const StoredSurvival stored = load_survival(release_argument(fcinfo, 0));
  const double level = level_argument(fcinfo, 1);
  require_groups(stored);
  const ResultRows rows = begin_rows(fcinfo);
  const int count = (int)stored.model->groups.size() - 1;
  LogRatio* ratios = (LogRatio*)palloc(sizeof(LogRatio) * count);
  const bool known = guard([&] {
    const auto found = hazard_ratios(stored.model->groups);
    if (found) std::ranges::copy(*found, ratios);
    return found.has_value();
  });
  const double reach = normal_reach(level);
  for (int i = 0; i < count; i++) {
    const LogRatio ratio = known ? ratios[i] : LogRatio{0, 1};
    const double away = std::fabs(ratio.estimate) / ratio.stddev;
    add_row(rows, {stored.groups[i + 1], value_if(known, std::exp(ratio.estimate)),
                   value_if(known, std::exp(ratio.estimate - reach * ratio.stddev)),
                   value_if(known, std::exp(ratio.estimate + reach * ratio.stddev)),
                   value_if(known, 2 * upper_tail(away))});
  }
  return (Datum)0;
}
