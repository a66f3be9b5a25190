#include "pg/query/statistics/contribution.hpp"

#include <vector>

#include "core/query/cube_noise.hpp"
#include "core/query/joint_shift.hpp"
#include "core/query/weighed_shift.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/statistics/statistics.hpp"

extern "C" {
#include "optimizer/optimizer.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_limit(const char* limit, int number, const char* reason,
                               const char* hint) {
  refuse_argument(psprintf("%s has nothing to limit", limit),
                  psprintf("%s is %d. %s", limit, number, reason), hint);
}

int rows_of_unit(const QueryShape* shape, std::optional<int> max_rows) {
  if (!max_rows) return shape->joined.most;
  require_range(
      "max_rows", *max_rows, 1, kMostRowsPerUnit,
      "It is how many rows of a unit count in full; leave it out for as many as the owner "
      "of the table declared.");
  if (!shape->joined.sampled) {
    refuse_limit("max_rows", *max_rows, "A privacy unit has one row.", "Leave max_rows out.");
  }
  return *max_rows;
}

StatisticShift shift_of(const QueryStatistic* statistic, Adjacency adjacency,
                        const Contribution& unit, int groups, bool weighed) {
  switch (statistic->kind) {
    case StatisticKind::distinct:
      return shift_of_distinct(adjacency, unit, groups, statistic->categories);
    case StatisticKind::units:
      return shift_of_units(adjacency, unit, groups);
    case StatisticKind::tree:
    case StatisticKind::drawn:
      weighed = false;
      [[fallthrough]];
    default:
      return (weighed ? weighed_shift : dpmix::shift_of)(statistic->lattice, adjacency, unit,
                                                         {groups, statistic->cells});
  }
}

// How far a unit moves a statistic in the tables of all grouping sets together.
StatisticShift shift_of_cube(const QueryStatistic* statistic, Adjacency adjacency,
                             const Contribution& unit, const QueryGroups* groups) {
  const QueryCube* cube = groups->cube;
  const KeySet all = groups->keys == kMostKeys ? ~KeySet{0} : (KeySet{1} << groups->keys) - 1;
  StatisticShift shift = {};
  guard([&] {
    std::vector<CubeTable> tables;
    for (int i = 0; i < cube->sets->count; i++) {
      const KeySet keys = cube->sets->keys[i];
      const int cells = cube->first[i + 1] - cube->first[i];
      tables.push_back({(double)(keys == 0 ? 1 : Max(cells, 2)), keys == all, cube->stretch[i]});
    }
    shift = cube_shift(statistic->lattice, adjacency, unit, Max(cube->combinations, 2), tables);
  });
  return shift;
}

RowPart row_part(StatisticKind kind) {
  switch (kind) {
    case StatisticKind::rows:
      return RowPart::presence;
    case StatisticKind::values:
      return RowPart::value;
    case StatisticKind::sum:
    case StatisticKind::squares:
      return RowPart::lattice;
    default:
      return RowPart::other;
  }
}

// Whether both statistics are about one value: a row has it for both, or for neither.
bool missing_together(const QueryStatistic* a, const QueryStatistic* b) {
  const auto sums = [](const QueryStatistic* of) {
    return of->kind == StatisticKind::sum || of->kind == StatisticKind::squares;
  };
  if (sums(a) && sums(b)) return equal(a->value, b->value);
  if (a->kind == StatisticKind::values && sums(b)) return same_values(a->value, b->value);
  if (b->kind == StatisticKind::values && sums(a)) return same_values(b->value, a->value);
  return false;
}

// What proofs may cost together, in pairs of parts of two filters: about half a second.
constexpr double kMostProofs = 1e6;

// How much of a filter a proof looks at: of a list of values up to a hundred.
bool count_parts(Node* node, void* parts) {
  if (node == NULL) return false;
  *(double*)parts += IsA(node, ScalarArrayOpExpr) ? 100 : 1;
  return walk_expression(node, count_parts, parts);
}

// Whether, by their texts alone, one filter being true proves that the other is not. Not proved
// where too few proofs are left.
bool exclude_each_other(const Node* f, const Node* g, double* left_proofs) {
  if (f == NULL || g == NULL) return false;
  double of_f = 0, of_g = 0;
  count_parts((Node*)f, &of_f);
  count_parts((Node*)g, &of_g);
  *left_proofs -= of_f * of_g;
  if (*left_proofs < 0) return false;
  List *left = list_make1((Node*)copyObjectImpl(f)), *right = list_make1((Node*)copyObjectImpl(g));
  return predicate_refuted_by(left, right, true) || predicate_refuted_by(right, left, true);
}

// Rows of a unit that counts as one, with one weight for all statistics, are in each group a part
// of a mean of rows. Not where a unit is replaced: it may go from one group to parts of two.
bool move_as_a_row(const QueryShape* shape, const QueryStatistics* statistics) {
  if (shape->joined.adjacency != Adjacency::add_remove) return false;
  for (int i = 1; i < statistics->count; i++) {
    if (!equal(statistics->statistic[i].filter, statistics->statistic[0].filter)) return false;
  }
  return true;
}

}  // namespace

Contribution unit_contribution(const QueryShape* shape, const QueryGroups* groups,
                               std::optional<int> max_groups, std::optional<int> max_rows) {
  const int rows = rows_of_unit(shape, max_rows);
  if (!max_groups) return contribution_of(rows, std::nullopt);
  require_range("max_groups", *max_groups, 1, kMostGroupsPerUnit,
                "It is in how many groups a unit has rows, at most; leave it out for as many as it "
                "has rows.");
  if (!shape->joined.sampled) {
    refuse_limit("max_groups", *max_groups, "A privacy unit has one row, in one group.",
                 "Leave max_groups out.");
  }
  if (groups->keys == 0) {
    refuse_limit("max_groups", *max_groups, "The query has no GROUP BY.",
                 "Leave max_groups out, or add GROUP BY.");
  }
  return contribution_of(rows, max_groups);
}

int count_of_units(const QueryShape* shape, const Contribution& unit,
                   const QueryStatistics* statistics) {
  const bool sampled = shape->joined.sampled;
  for (int i = 0; i < statistics->count; i++) {
    const QueryStatistic* statistic = &statistics->statistic[i];
    if (statistic->filter != NULL) continue;
    // Without sampling a unit has one row.
    if (statistic->kind == StatisticKind::rows && (!sampled || unit.rows_per_group == 1)) return i;
    if (statistic->kind == StatisticKind::units && sampled) return i;
  }
  return -1;
}

StatisticShift* statistic_shifts(const QueryShape* shape, const Contribution& unit,
                                 const QueryGroups* groups, const QueryStatistics* statistics,
                                 bool weighed) {
  StatisticShift* shifts = (StatisticShift*)palloc(sizeof(StatisticShift) * statistics->count);
  for (int i = 0; i < statistics->count; i++) {
    if (groups->cube != NULL) {
      shifts[i] = shift_of_cube(&statistics->statistic[i], shape->joined.adjacency, unit, groups);
      continue;
    }
    const QueryStatistic* statistic = &statistics->statistic[i];
    shifts[i] = shift_of(statistic, shape->joined.adjacency, unit, groups->count, weighed);
    shifts[i].together = !shape->joined.sampled && statistic->cells == 1;
  }
  return shifts;
}

std::vector<DrawShift> draw_shifts(const QueryShape* shape, const Contribution& unit,
                                   const QueryGroups* groups, const QueryStatistics* statistics) {
  std::vector<DrawShift> shifts;
  for (int i = noisy_statistics(statistics); i < statistics->count; i++) {
    const ExactShare share = exact_share(statistics->statistic[i].share);
    shifts.push_back(draw_shift(share, shape->joined.adjacency, unit.rows, groups->count > 1));
  }
  return shifts;
}

std::optional<JointPrice> joint_price(const QueryShape* shape, const Contribution& unit,
                                      const QueryGroups* groups, const QueryStatistics* statistics,
                                      const StatisticShift* shifts, bool weighed) {
  const int count = noisy_statistics(statistics);
  if (unit.rows > 1 || count < 2 || groups->cube != NULL) return std::nullopt;
  if (weighed && !move_as_a_row(shape, statistics)) return std::nullopt;
  const QueryStatistic* of = statistics->statistic;
  JointStatistic* joint = (JointStatistic*)palloc0(sizeof(JointStatistic) * count);
  for (int i = 0; i < count; i++) {
    joint[i] = {row_part(of[i].kind), i, i, of[i].lattice, shifts[i].l2};
    for (int j = 0; j < i; j++) {
      if (missing_together(&of[i], &of[j])) joint[i].column = joint[j].column;
      if (equal(of[i].filter, of[j].filter)) joint[i].filter = joint[j].filter;
    }
  }
  // Which exclude each other, before C++ asks: the proof of it may raise.
  bool* excludes = (bool*)palloc0((Size)count * count);
  double proofs = kMostProofs;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i && joint[i].filter == i; j++) {
      if (joint[j].filter != j) continue;
      excludes[(Size)i * count + j] = excludes[(Size)j * count + i] =
          exclude_each_other(of[i].filter, of[j].filter, &proofs);
    }
  }
  Sharing* sharing = (Sharing*)palloc(sizeof(Sharing) * count);
  return guard([&] {
    const std::span<const JointStatistic> all(joint, (Size)count);
    const std::span<Sharing> shares(sharing, (Size)count);
    find_sharing(all, shape->joined.adjacency, shares);
    const double squares =
        joint_squares(all, shape->joined.adjacency, groups->count > 1,
                      [&](int f, int g) { return excludes[(Size)f * count + g]; });
    return JointPrice{squares, shares};
  });
}

}  // namespace dpmix::pg
