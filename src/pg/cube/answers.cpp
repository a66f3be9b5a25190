#include "pg/cube/answers.hpp"

#include "pg/query/answer/one_answer.hpp"

namespace dpmix::pg {

AgreeingCells agree(StoredCube* cube) {
  return agreeing_cells(cube->groups, cube->statistics, cube->cell);
}

CubeAnswer answer_of(const StoredCube& cube, const AgreeingCells& agreed, int measure, int set,
                     int group, const EndReach& reach) {
  const Size width = (Size)cube.statistics->cells;
  const AnswerSource source = answer_source(cube.shape, cube.statistics, cube.noise, measure);
  const GroupAnswer answer = {cube.cell + group * width, agreed.centre + group * width, 0,
                              agreed.slack + set * width};
  const NoiseInterval interval = interval_in(source, reach, answer);
  return {number_in(source, answer.noisy), interval.low, interval.high};
}

}  // namespace dpmix::pg
