#include "pg/query/price/bounded_totals.hpp"

#include "core/accounting/decimal.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/answers.hpp"
#include "core/query/bounded_units.hpp"
#include "core/random/noisy.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/statistics/shards.hpp"

namespace dpmix::pg {

struct BoundedUnits {
  const PricedQuery* priced;
  NoiseLaw law;
  double reach;   // what the noise stays within with 95%
  Int128* count;  // each list's
};

namespace {

constexpr double kLevel = 0.95;

// Whether a unit may have rows that do not count in full.
bool is_bounded(const PricedQuery* priced) {
  if (priced->groups->none) return false;
  if (priced->shape->joined.picked) return true;
  if (!priced->shape->joined.sampled) return false;
  const UnitWeighing* weighing = priced->weighing;
  return weighing == NULL || weighing->draws || weighing->binding > 0;
}

const char* rows(int count) {
  return psprintf("%d row%s", count, count == 1 ? "" : "s");
}

// Drawn rows alone, or weighed ones.
bool draws_rows(const PricedQuery* priced) {
  return priced->weighing == NULL || priced->weighing->binding == 0;
}

const char* bound_text(const PricedQuery* priced) {
  const char* most = rows(priced->unit.rows);
  if (priced->shape->joined.picked) {
    return "of each privacy unit at most 1 row counts, always the same one";
  }
  if (!draws_rows(priced)) return psprintf("privacy units with more than %s count for less", most);
  return psprintf("of each privacy unit at most %s count, %s", most,
                  reads_shards(priced->scope.sources) ? "always the same ones" : "at random");
}

// NULL: no join does.
const char* multiplied_text(const PricedQuery* priced) {
  const char* by = priced->shape->joined.multiplied_by;
  return by == NULL ? NULL
                    : psprintf(
                          "the join with public table %s may multiply the rows of a unit, and "
                          "all of them are held to that number",
                          by);
}

// The first statistic of a list, for people.
const char* counted_text(const PricedQuery* priced, int list) {
  for (int i = 0; i < priced->statistics->count; i++) {
    if (priced->weighing->of[i] == list) return priced->statistics->statistic[i].text;
  }
  return "";
}

}  // namespace

List* bound_lines(const PricedQuery* priced) {
  if (!is_bounded(priced)) return NIL;
  List* lines =
      list_make1(psprintf("%s; intervals are of these bounded totals", bound_text(priced)));
  if (const char* text = multiplied_text(priced)) lines = lappend(lines, (void*)text);
  return lines;
}

void tell_of_bound(const PricedQuery* priced) {
  if (!is_bounded(priced)) return;
  const char* multiplied = multiplied_text(priced);
  ereport(NOTICE,
          (errmsg("%s", bound_text(priced)),
           errdetail("Intervals are of these bounded totals. Plain ones may be larger; dp_low of a "
                     "count, or of a sum of values from 0 up, is a low end of them, too.%s",
                     multiplied == NULL ? "" : psprintf(" And %s.", multiplied)),
           errhint("With max_rows more rows of each unit count, at as much more noise.")));
}

BoundedUnits* bounded_units_to_tell(const PricedQuery* priced) {
  const UnitWeighing* weighing = priced->weighing;
  const int lists = priced->request.bounded_lists;
  if (weighing == NULL || lists == 0 || priced->plan.family != Family::gaussian) return NULL;
  BoundedUnits* made = (BoundedUnits*)palloc0(sizeof(BoundedUnits));
  made->priced = priced;
  made->count = (Int128*)palloc0(sizeof(Int128) * weighing->lists);
  guard([&] {
    // That of all noise: what finding groups has of delta is no part of it.
    const GroupSearch& search = priced->plan.search;
    const double delta = search.kind == SearchKind::threshold
                             ? search.rest_delta
                             : Decimal::printed(priced->plan.delta).lower_double();
    const double mu = gdp_mu(Decimal::printed(priced->plan.epsilon).lower_double(), delta);
    made->law = bounded_law(mu, lists);
    made->reach = noise_reach(made->law, kLevel, 1);
  });
  return made;
}

void add_noise(BoundedUnits* bounded) {
  if (bounded == NULL) return;
  const UnitWeighing* weighing = bounded->priced->weighing;
  RandomStream* random = random_stream();
  for (int i = 0; i < weighing->lists; i++) {
    if (!weighing->list[i].binds) continue;
    const int64 exact = weighing->on_shards != NULL
                            ? weighing->on_shards[i]
                            : bounded_units(bounded->priced->memory->units, i);
    bounded->count[i] = guard([&] { return noisy(*random, NoiseSampler(bounded->law), exact); });
  }
}

void tell_of(const BoundedUnits* bounded) {
  if (bounded == NULL) return;
  const PricedQuery* priced = bounded->priced;
  for (int i = 0; i < priced->weighing->lists; i++) {
    if (!priced->weighing->list[i].binds) continue;
    const double about = static_cast<double>(bounded->count[i]);
    if (about - bounded->reach <= 0) continue;
    ereport(NOTICE,
            (errmsg("the rows of about %.0f privacy units are weighed down in %s", about,
                    counted_text(priced, i)),
             errdetail("95%%: of %.0f to %.0f. Counts, and sums of values from 0 up, are too "
                       "small by what these units have beyond %s.",
                       about - bounded->reach, about + bounded->reach, rows(priced->unit.rows)),
             errhint("Ask with a larger max_rows, at as much more noise.")));
  }
}

}  // namespace dpmix::pg
