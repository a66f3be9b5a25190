#include "pg/units/sampled_units.hpp"

#include "core/query/unit_sample.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/worker.hpp"
#include "pg/units/row_memory.hpp"
#include "pg/units/value_numbers.hpp"
#include "pg/scan/memory.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_share_counted);
PG_FUNCTION_INFO_V1(dpmix_row_kept);
PG_FUNCTION_INFO_V1(dpmix_unit_counted);
}

namespace dpmix::pg {

using Sample = UnitSample<NumberNotes>;

struct SampledUnits {
  UnitsToSample asked;
  ValueKinds *unit, *group;  // group: NULL where groups do not matter
  int shares;
  RandomStream* random;
  uint64 seed;  // of hashes: one for all shares, or a unit could be in two of them
  int share;    // at work; -1: none yet. Of it:
  MemoryContext context;
  ValueNumbers *units, *groups;
  Sample* sample;
};

namespace {

double bytes_of_row(const SampledUnits* units) {
  double bytes = bytes_of_value(units->unit) + Sample::bytes_each(units->asked.by_group);
  if (units->group != NULL) bytes += bytes_of_value(units->group);
  return bytes;
}

// No share has more units than there are numbers for, either.
int shares_for(const SampledUnits* units) {
  const double rows = units->asked.rows;
  const double shares = Max(rows * bytes_of_row(units) / scan_memory_bytes(), rows / (1 << 30));
  return (int)Min(ceil(Max(shares, 1.)), 1e6);
}

// Texts are no longer than the table. Shares are even but for chance, estimates nearly right, and
// large pages not filled.
void need_share(const SampledUnits* units) {
  constexpr double kSpare = 1.25, kLargePages = 8 << 20;
  double bytes = units->asked.rows * bytes_of_row(units);
  if (has_texts(units->unit)) bytes += units->asked.size;
  if (units->group != NULL && has_texts(units->group)) bytes += units->asked.size;
  need_own_memory(kSpare * bytes / units->shares + kLargePages);
}

// The low bits: numbers are found by the high ones.
bool is_in_share(const SampledUnits* units, uint64 hash, int share) {
  return (int)(((hash & PG_UINT32_MAX) * (uint64)units->shares) >> 32) == share;
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
  }
  if (units->group != NULL) {
    read_values(units->group, values + units->asked.unit_columns, read);
    group = last_number(units->groups, read);
    if (group == kNoNumber) {
      group = add_number(units->groups, value_hash(units->groups, read), read);
    }
  }
  guard([&] { units->sample->count(unit, group); });
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

// With nothing counted. Returns the context that was current: that of the share is.
MemoryContext begin_share(SampledUnits* units, int share) {
  if (!in_release_process()) elog(ERROR, "units are sampled where a release is made");
  if (share != 0 && share != units->share + 1) elog(ERROR, "shares of units out of their order");
  units->share = share;
  MemoryContextReset(units->context);
  MemoryContext outer = MemoryContextSwitchTo(units->context);
  units->units = value_numbers(units->unit, units->seed);
  if (units->group != NULL) units->groups = value_numbers(units->group, units->seed);
  const NumberNotes notes = notes_of(units->units);
  units->sample = context_object<Sample>(
      [&] { return new Sample(units->asked.most, units->asked.by_group, units->seed, notes); });
  return outer;
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
  if (asked.by_group) made->group = value_kinds(asked.columns - unit, asked.type + unit);
  made->shares = shares_for(made);
  need_share(made);
  made->random = random_stream();
  made->seed = guard([&] { return made->random->next64(); });
  made->share = -1;
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
  guard([&] { units->sample->choose(*units->random); });
  MemoryContextSwitchTo(outer);
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
  PG_RETURN_BOOL(guard([&] { return units->sample->keeps(row.unit, row.group, *units->random); }));
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
}
