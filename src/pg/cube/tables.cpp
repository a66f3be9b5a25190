// What a stored cube says: dpmix.cube lists its tables, dpmix.cube_table reads one. Free:
// post-processing.
#include <bit>

#include "core/query/cube_noise.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/cube/answers.hpp"
#include "pg/cube/named.hpp"
#include "pg/query/answer/values.hpp"
#include "pg/release/stored.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/array.h"
PG_FUNCTION_INFO_V1(dpmix_cube);
PG_FUNCTION_INFO_V1(dpmix_cube_table);
}

namespace dpmix::pg {
namespace {

// The keys of the caller, in its order.
struct Wanted {
  int count;
  int key[kMostKeys];
  KeySet set;
};

Wanted wanted_keys(FunctionCallInfo fcinfo, const StoredCube& cube) {
  Datum* values;
  bool* nulls;
  Wanted wanted = {};
  int count;
  deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values,
                    &nulls, &count);
  for (int i = 0; i < count; i++) {
    const char* name = nulls[i] ? "NULL" : NameStr(*DatumGetName(values[i]));
    const int key = key_in(cube, name);
    if (wanted.set >> key & 1) {
      refuse_argument(psprintf("key %s is given twice", name), NULL,
                      "Name each key at most once; '{}' is the total.");
    }
    wanted.set |= KeySet{1} << key;
    wanted.key[wanted.count++] = key;
  }
  return wanted;
}

Value values_of(const StoredCube& cube, const Wanted& wanted, int group) {
  Datum* values = (Datum*)palloc(sizeof(Datum) * Max(wanted.count, 1));
  bool* nulls = (bool*)palloc(sizeof(bool) * Max(wanted.count, 1));
  for (int i = 0; i < wanted.count; i++) {
    const NullableDatum key = key_of(cube.groups, group, wanted.key[i]);
    values[i] = key.value;
    nulls[i] = key.isnull;
  }
  int sizes[] = {wanted.count}, begin[] = {1};
  return {TEXTARRAYOID,
          PointerGetDatum(construct_md_array(values, nulls, wanted.count > 0, sizes, begin, TEXTOID,
                                             -1, false, TYPALIGN_INT))};
}

// The deviation of the noise of a count or a sum; an average's depends on the number of rows.
Value deviation_of(const StoredCube& cube, int measure, int set) {
  const AggregateParts& parts = cube.statistics->parts[measure];
  if (parts.divides()) return value_if(false, 0.);
  const int statistic = parts.count >= 0 ? parts.count : parts.sum;
  const int keys = std::popcount(cube.shape->sets->keys[set]);
  const double steps = guard(
      [&] { return cube_deviation(cube.noise[statistic].law, reach_in(cube.groups, set), keys); });
  return steps * cube.statistics->statistic[statistic].step();
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cube(PG_FUNCTION_ARGS) {
  const StoredCube cube = load_cube(release_argument(fcinfo, 0));
  const ResultRows rows = begin_rows(fcinfo);
  const QuerySets* sets = cube.shape->sets;
  for (int set = 0; set < sets->count; set++) {
    const char* names[kMostKeys];
    int count = 0, groups = 1;
    for (int k = 0; k < cube.groups->keys; k++) {
      if ((sets->keys[set] >> k & 1) == 0) continue;
      names[count++] = cube.key[k];
      const KeyColumn& key = cube.groups->key[k];
      groups *= key.shows_others ? key.places() : key.others_place();
    }
    for (int i = 0; i < cube.shape->aggregates; i++) {
      add_row(rows,
              {name_array(names, count), groups, cube.measure[i], deviation_of(cube, i, set)});
    }
  }
  return (Datum)0;
}

Datum dpmix_cube_table(PG_FUNCTION_ARGS) {
  StoredCube cube = load_cube(release_argument(fcinfo, 0));
  require_arguments(fcinfo, 4);
  const Wanted wanted = wanted_keys(fcinfo, cube);
  const int set = table_of(cube, wanted.set), measure = measure_in(cube, text_argument(fcinfo, 2));
  const double level = PG_GETARG_FLOAT8(3);
  const ResultRows rows = begin_rows(fcinfo);
  const EndReach reach = guard([&] {
    return interval_reach(answer_source(cube.shape, cube.statistics, cube.noise, measure),
                          cube.groups, set, level);
  });
  const AgreeingCells agreed = agree(&cube);
  const int* first = cube.groups->cube->first + set;
  for (int group = first[0]; group < first[1]; group++) {
    CHECK_FOR_INTERRUPTS();
    if (!is_shown(cube.groups, group)) continue;
    const CubeAnswer answer = answer_of(cube, agreed, measure, set, group, reach);
    add_row(rows, {values_of(cube, wanted, group), answer.value, answer.low, answer.high});
  }
  return (Datum)0;
}
