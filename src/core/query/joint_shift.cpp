#include "core/query/joint_shift.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace dpmix {
namespace {

// Covers the roundings of a sum of squared quotients.
constexpr double kRoundUp = 1 + 0x1p-40;

double square(double steps, const JointStatistic& statistic) {
  const double ratio = steps / statistic.l2;
  return ratio * ratio;
}

// All statistics with one filter.
struct Filtered {
  double come = 0;  // a row that did not pass comes, or one goes
  double stay = 0;  // one that passes is another before and after
};

struct Column {
  double appear = 0;  // the value comes or goes
  double change = 0;  // there is one before and after
};

Filtered moves_of(std::span<const JointStatistic> statistics, int filter) {
  Filtered moves;
  std::map<int, Column> columns;
  for (const JointStatistic& statistic : statistics) {
    if (statistic.filter != filter) continue;
    const double coming =
        square(static_cast<double>(sensitivity_add_remove(statistic.lattice)), statistic);
    Column& column = columns[statistic.column];
    switch (statistic.part) {
      case RowPart::presence:
        moves.come += coming;
        break;
      case RowPart::value:
        moves.come += coming;
        column.appear += coming;
        break;
      case RowPart::lattice:
        moves.come += coming;
        column.appear += coming;
        column.change +=
            square(static_cast<double>(statistic.lattice.high - statistic.lattice.low), statistic);
        break;
      case RowPart::other:
        moves.come += 1;
        moves.stay += 1;
        break;
    }
  }
  for (const auto& [number, column] : columns) moves.stay += std::max(column.appear, column.change);
  return moves;
}

// The most that a row moves the statistics of filters that all exclude each other, in squares: it
// passes one of them at most, before and after.
double most_of(const std::vector<Filtered>& filters, Adjacency adjacency, bool grouped) {
  double most = 0, first = 0, second = 0;
  for (const Filtered& filter : filters) {
    most = std::max({most, filter.come, filter.stay});
    second = std::max(second, std::min(first, filter.come));
    first = std::max(first, filter.come);
  }
  if (adjacency == Adjacency::add_remove) return first;
  // A row that goes from one group to another may pass one filter in both.
  return std::max(most, grouped ? 2 * first : first + second);
}

}  // namespace

double joint_squares(std::span<const JointStatistic> statistics, Adjacency adjacency, bool grouped,
                     const std::function<bool(int, int)>& excludes) {
  std::vector<std::vector<int>> classes;  // of filters that exclude each other
  std::vector<int> known;
  for (const JointStatistic& statistic : statistics) {
    const int filter = statistic.filter;
    if (std::ranges::find(known, filter) != known.end()) continue;
    known.push_back(filter);
    const auto fits = [&](const std::vector<int>& others) {
      return std::ranges::all_of(others, [&](int other) { return excludes(filter, other); });
    };
    const auto found = std::ranges::find_if(classes, fits);
    if (found == classes.end()) {
      classes.push_back({filter});
    } else {
      found->push_back(filter);
    }
  }
  double sum = 0;
  for (const std::vector<int>& filters : classes) {
    std::vector<Filtered> moves;
    for (const int filter : filters) moves.push_back(moves_of(statistics, filter));
    sum += most_of(moves, adjacency, grouped);
  }
  return std::min(sum * kRoundUp, static_cast<double>(statistics.size()));
}

void find_sharing(std::span<const JointStatistic> statistics, Adjacency adjacency,
                  std::span<Sharing> sharing) {
  const auto find = [&](const JointStatistic& of, RowPart part) {
    const auto found = std::ranges::find_if(statistics, [&](const JointStatistic& other) {
      return other.part == part && other.filter == of.filter &&
             (part == RowPart::presence || other.column == of.column);
    });
    return found == statistics.end() ? -1 : static_cast<int>(found - statistics.begin());
  };
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const JointStatistic& of = statistics[i];
    sharing[i] = {};
    if (adjacency != Adjacency::add_remove) continue;
    if (of.part != RowPart::value && of.part != RowPart::lattice) continue;
    const Sharing found = {find(of, RowPart::presence), find(of, RowPart::value)};
    if (found.rows >= 0 && found.values >= 0) sharing[i] = found;
  }
}

}  // namespace dpmix
