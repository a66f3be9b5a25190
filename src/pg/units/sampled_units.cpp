#include "pg/units/sampled_units.hpp"

#include "core/query/unit_sample.hpp"
#include "core/query/unit_weights.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/replay.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/worker.hpp"
#include "pg/scan/memory.hpp"
#include "pg/units/row_memory.hpp"
#include "pg/units/value_numbers.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_share_counted);
PG_FUNCTION_INFO_V1(dpmix_row_kept);
PG_FUNCTION_INFO_V1(dpmix_unit_counted);
PG_FUNCTION_INFO_V1(dpmix_row_weight);
}

namespace dpmix::pg {

using Sample = UnitSample<NumberNotes>;
using Weights = UnitWeights<NumberNotes>;

struct SampledUnits {
  UnitsToSample asked;
  ValueKinds *unit, *group;  // group: NULL where groups do not matter
  int shares;
  RandomStream* random;
  uint64 seed;  // that of hashes: one for all shares, or a unit could be in two of them
  int share;    // the one at work; -1: none yet. It has:
  MemoryContext context;
  ValueNumbers *units, *groups;
  Sample* sample;    // NULL: nothing is drawn
  Weights* weights;  // NULL: nothing is weighed
  bool goes_on;      // it counted rows of others before
  int64* bounded;    // units that each list weighs down, in all shares so far
};

namespace {

// What is counted: units, or pairs where groups matter.
double most_counted(const SampledUnits* units) {
  return units->group != NULL ? units->asked.pairs : units->asked.units;
}

double bytes_of_all(const SampledUnits* units) {
  const WeightsToFind& weights = units->asked.weights;
  double bytes = 0;
  if (units->asked.draws) bytes += Sample::bytes_each(units->asked.by_group);
  if (weights.lists > 0) bytes += Weights::bytes_each(weights.by_group, (Size)weights.lists);
  if (units->asked.draws && weights.lists > 0) bytes += sizeof(uint64);  // a second note
  if (units->group != NULL) bytes += bytes_of_value(units->group);
  return units->asked.units * bytes_of_value(units->unit) + most_counted(units) * bytes;
}

// No share has more units than there are numbers for, either.
int shares_for(const SampledUnits* units) {
  const double shares =
      Max(bytes_of_all(units) / scan_memory_bytes(), most_counted(units) / (1 << 30));
  return (int)Min(ceil(Max(shares, 1.)), 1e6);
}

// Shares are even but for chance, estimates nearly right, and
// large pages not filled.
void need_share(const SampledUnits* units) {
  constexpr double kSpare = 1.25, kLargePages = 8 << 20;
  double bytes = bytes_of_all(units);
  if (has_texts(units->unit)) bytes += units->asked.unit_texts;
  if (units->group != NULL) bytes += units->asked.key_texts;
  need_own_memory(kSpare * bytes / units->shares + kLargePages);
}

// The low bits: numbers are found by the high ones.
bool is_in_share(const SampledUnits* units, uint64 hash, int share) {
  return (int)(((hash & PG_UINT32_MAX) * (uint64)units->shares) >> 32) == share;
}

bool is_in_list(const SampledUnits* units, int list, const Datum* values, const bool* nulls) {
  const int column = units->asked.weights.column[list];
  return column < 0 || (!nulls[column] && DatumGetBool(values[column]));
}

void count_row(SampledUnits* units, const Datum* values, const bool* nulls) {
  for (int i = 0; i < units->asked.columns; i++) {
    if (nulls[i]) return;
  }
  ReadValue read[FUNC_MAX_ARGS];
  read_values(units->unit, values, read);
  uint32 unit = last_number(units->units, read), group = 0;
  if (unit == kNoNumber) {
    const uint64 hash = value_hash(units->units, read);
    if (!is_in_share(units, hash, units->share)) return;
    unit = add_number(units->units, hash, read);
    DPMIX_REPLAY_HOOK(see_unit(unit, hash, read[0].word));
  }
  if (units->group != NULL) {
    read_values(units->group, values + units->asked.unit_columns, read);
    group = last_number(units->groups, read);
    if (group == kNoNumber) {
      const uint64 hash = value_hash(units->groups, read);
      group = add_number(units->groups, hash, read);
      DPMIX_REPLAY_HOOK(see_group(group, hash));
    }
  }
  guard([&] {
    if (units->sample != NULL) units->sample->count(unit, group);
    for (int list = 0; units->weights != NULL && list < units->asked.weights.lists; list++) {
      if (is_in_list(units, list, values, nulls)) units->weights->count(list, unit, group);
    }
  });
}

SampledUnits* units_in(FunctionCallInfo fcinfo) {
  return ((const RowMemory*)PG_GETARG_POINTER(0))->units;
}

// A row of the scan proper, by the arguments of a function from `first` on.
struct SampledRow {
  bool in_share;
  uint32 unit, group;
};

SampledRow sampled_row(SampledUnits* units, int share, FunctionCallInfo fcinfo, int first) {
  Datum values[FUNC_MAX_ARGS];
  for (int i = 0; i < units->asked.columns; i++) values[i] = fcinfo->args[first + i].value;
  if (share == kShareAtWork) share = units->share;
  if (units->share != share) elog(ERROR, "a share of units that was not counted");
  ReadValue read[FUNC_MAX_ARGS];
  read_values(units->unit, values, read);
  SampledRow row = {true, last_number(units->units, read), 0};
  if (row.unit == kNoNumber) {
    const uint64 hash = value_hash(units->units, read);
    if (!is_in_share(units, hash, share)) return {};
    row.unit = find_number(units->units, hash, read);
  }
  if (units->group != NULL) {
    read_values(units->group, values + units->asked.unit_columns, read);
    row.group = last_number(units->groups, read);
    if (row.group == kNoNumber) {
      row.group = find_number(units->groups, value_hash(units->groups, read), read);
    }
  }
  if (row.unit == kNoNumber || row.group == kNoNumber) elog(ERROR, "a row that was not counted");
  return row;
}

// Begins a share with nothing counted. Returns the context that was current: the share's is now.
MemoryContext begin_share(SampledUnits* units, int share) {
  if (!in_release_process()) elog(ERROR, "units are sampled where a release is made");
  if (share != 0 && share != units->share + 1) elog(ERROR, "shares of units out of their order");
  units->share = share;
  DPMIX_REPLAY_HOOK(begin_units());
  MemoryContextReset(units->context);
  MemoryContext outer = MemoryContextSwitchTo(units->context);
  const UnitsToSample& asked = units->asked;
  const WeightsToFind& weights = asked.weights;
  units->units = value_numbers(units->unit, units->seed, asked.draws + (weights.lists > 0));
  if (units->group != NULL) units->groups = value_numbers(units->group, units->seed);
  if (asked.draws) {
    const NumberNotes notes = notes_of(units->units);
    units->sample = context_object<Sample>(
        [&] { return new Sample(asked.most, asked.by_group, units->seed, notes); });
  }
  if (weights.lists > 0) {
    const NumberNotes notes = notes_of(units->units, asked.draws);
    units->weights = context_object<Weights>([&] {
      return new Weights({weights.bound, weights.bound + weights.lists}, weights.bits,
                         weights.by_group, units->seed, notes);
    });
    if (share == 0 && !units->goes_on) memset(units->bounded, 0, sizeof(int64) * weights.lists);
  }
  return outer;
}

void choose(SampledUnits* units) {
  guard([&] {
    if (units->sample != NULL) units->sample->choose(DPMIX_REPLAY_DRAWS(*units->random));
    if (units->weights == NULL) return;
    units->weights->choose(DPMIX_REPLAY_DRAWS(*units->random));
    for (int i = 0; i < units->asked.weights.lists; i++) {
      units->bounded[i] += units->weights->bounded(i);
    }
  });
}

}  // namespace

SampledUnits* sampled_units(const UnitsToSample& asked) {
  if (!has_hashes(asked.type[0])) {
    refuse(ErrorCode::query_not_allowed,
           psprintf("rows of privacy units of type %s cannot be sampled",
                    format_type_be(asked.type[0])),
           "A unit may have several rows here, which are put together by a hash of it; the type "
           "has none.",
           "Let the owner declare a privacy unit of another type, such as text.");
  }
  SampledUnits* made = (SampledUnits*)palloc0(sizeof(SampledUnits));
  made->asked = asked;
  const int unit = asked.unit_columns;
  made->unit = value_kinds(unit, asked.type);
  if (asked.by_group || asked.weights.by_group)
    made->group = value_kinds(asked.columns - unit, asked.type + unit);
  made->shares = shares_for(made);
  need_share(made);
  made->random = random_stream();
  made->seed = guard([&] { return made->random->next64(); });
  made->share = -1;
  made->bounded = (int64*)palloc0(sizeof(int64) * Max(asked.weights.lists, 1));
  made->context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix sampled units", ALLOCSET_DEFAULT_SIZES);
  return made;
}

int shares_of(const SampledUnits* units) {
  return units == NULL ? 1 : units->shares;
}

void count_share(SampledUnits* units, int share) {
  if (units == NULL) return;
  MemoryContext outer = begin_share(units, share);
  run_inner_scan(units->asked.counting,
                 [&](const Datum* values, const bool* nulls) { count_row(units, values, nulls); });
  choose(units);
  MemoryContextSwitchTo(outer);
}

int64 bounded_units(const SampledUnits* units, int list) {
  return units->bounded[list];
}

void count_units(SampledUnits* units, int share, Callable<void(uint64 rows)> receive) {
  MemoryContext outer = begin_share(units, share);
  run_scan(units->asked.counting,
           [&](const Datum* values, const bool* nulls) { count_row(units, values, nulls); });
  guard([&] { units->sample->each_unit([&](uint64 rows) { receive(rows); }); });
  MemoryContextSwitchTo(outer);
}

void count_only_share(const RowMemory* memory) {
  SampledUnits* units = memory != NULL ? memory->units : NULL;
  if (shares_of(units) == 1) count_share(units, 0);
}

void go_on_counting(const RowMemory* memory) {
  if (memory != NULL && memory->units != NULL) memory->units->goes_on = true;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_share_counted(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  count_share(units_in(fcinfo), PG_GETARG_INT32(1));
  PG_RETURN_DATUM(PG_GETARG_DATUM(1));
}

Datum dpmix_row_kept(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  SampledUnits* units = units_in(fcinfo);
  const SampledRow row = sampled_row(units, PG_GETARG_INT32(1), fcinfo, 2);
  if (!row.in_share) PG_RETURN_BOOL(false);
  PG_RETURN_BOOL(guard([&] {
    return units->sample->keeps(row.unit, row.group, DPMIX_REPLAY_DRAWS(*units->random));
  }));
}

Datum dpmix_unit_counted(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  SampledUnits* units = units_in(fcinfo);
  const int list = PG_GETARG_INT32(1);
  // A row that was kept: of the share at work.
  const SampledRow row = sampled_row(units, units->share, fcinfo, 2);
  if (!row.in_share) elog(ERROR, "a row of another share");
  PG_RETURN_BOOL(guard([&] { return units->sample->first(list, row.unit, row.group); }));
}

Datum dpmix_row_weight(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  SampledUnits* units = units_in(fcinfo);
  const int list = PG_GETARG_INT32(1);
  const SampledRow row = sampled_row(units, PG_GETARG_INT32(2), fcinfo, 4);
  if (!row.in_share) PG_RETURN_NULL();
  if (!PG_GETARG_BOOL(3)) PG_RETURN_INT32(0);
  PG_RETURN_INT32(guard([&] { return (int32)units->weights->weight(list, row.unit, row.group); }));
}
}
