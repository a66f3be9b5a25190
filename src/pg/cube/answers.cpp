#include "pg/cube/answers.hpp"

#include "pg/query/answer/values.hpp"

namespace dpmix::pg {

AgreeingCells agree(StoredCube* cube) {
  return agreeing_cells(cube->groups, cube->statistics, cube->cell);
}

CubeAnswer answer_of(const StoredCube& cube, const AgreeingCells& agreed, int measure, int set,
                     int group, const EndReach& reach) {
  const Size width = (Size)cube.statistics->cells;
  const AggregateKind kind = cube.shape->aggregate[measure].kind;
  ReleasedValue value[] = {{measure, ReleasedEnd::answer, 0, InvalidOid},
                           {measure, ReleasedEnd::low, 0, InvalidOid},
                           {measure, ReleasedEnd::high, 0, InvalidOid}};
  const EndReach reaches[] = {reach, reach, reach};
  QueryShape shape = *cube.shape;
  shape.values = lengthof(value);
  shape.value = value;
  const GroupAnswer answer = {cube.cell + group * width, agreed.centre + group * width, 0,
                              agreed.slack + set * width};
  const auto released = [&](int i) {
    return released_value(&shape, cube.statistics, cube.noise, reaches, i, answer);
  };
  return {number_of(kind, released(0)), DatumGetFloat8(released(1)), DatumGetFloat8(released(2))};
}

bool is_shown(const StoredCube& cube, int set, int group) {
  int cell = group - cube.groups->cube->first[set];
  for (int k = cube.groups->keys - 1; k >= 0; k--) {
    if ((cube.shape->sets->keys[set] >> k & 1) == 0) continue;
    const KeyColumn& key = cube.groups->key[k];
    if (cell % key.places() == key.categories) return false;
    cell /= key.places();
  }
  return true;
}

}  // namespace dpmix::pg
