#include "pg/query/answer/cube_answers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/cube/least_squares.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/exact_groups.hpp"

namespace dpmix::pg {
namespace {

constexpr double kMost = 0x1p112;  // the largest cell, as in CubeLeastSquares

class Solving {
 public:
  Solving(const QueryGroups* groups, const CubeWorkload& workload, int width)
      : groups_(groups), workload_(workload), width_((std::size_t)width) {}

  // cell: of the first group; the others follow, `width` apart.
  void solve(Int128* cell, Int128* centre, double* slack) const {
    const QueryCube* cube = groups_->cube;
    CubeLeastSquares fit(workload_, {cube->precision, workload_.sets()});
    for (std::size_t set = 0; set < workload_.sets(); set++) {
      std::vector<double> table;
      each_group(set, [&](std::size_t at) { table.push_back((double)cell[at]); });
      fit.add(set, table);
    }
    for (std::size_t set = 0; set < workload_.sets(); set++) {
      const std::vector<double> answer = fit.answer(set);
      const std::vector<Int128> whole = fit.whole_answer(set);
      slack[set * width_] = fit.slack(set);
      std::size_t i = 0;
      each_group(set, [&](std::size_t at) {
        centre[at] = (Int128)std::nearbyint(std::clamp(answer[i], -kMost, kMost));
        cell[at] = whole[i++];
      });
    }
  }

 private:
  template <class Visit>
  void each_group(std::size_t set, const Visit& visit) const {
    const int* first = groups_->cube->first + set;
    for (int group = first[0]; group < first[1]; group++) visit((std::size_t)group * width_);
  }

  const QueryGroups* groups_;
  const CubeWorkload& workload_;
  std::size_t width_;
};

}  // namespace

AgreeingCells agreeing_cells(const QueryGroups* groups, const QueryStatistics* statistics,
                             Int128* cells) {
  Int128* centre = make_cells((Size)groups->count * statistics->cells);
  double* slack = (double*)palloc(sizeof(double) * groups->cube->sets->count * statistics->cells);
  guard([&] {
    const CubeWorkload workload = workload_of(groups);
    const Solving solving(groups, workload, statistics->cells);
    for (int i = 0; i < statistics->cells; i++) solving.solve(cells + i, centre + i, slack + i);
  });
  return {centre, slack};
}

}  // namespace dpmix::pg
