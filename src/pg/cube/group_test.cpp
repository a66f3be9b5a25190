// dpmix.test: whether groups of a stored cube differ, in the shares of an outcome or in the mean of
// a number. Free: post-processing. docs/proofs/group_tests.md
#include <algorithm>
#include <cmath>

#include "core/cube/group_test.hpp"
#include "core/query/variance_answers.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/cube/answers.hpp"
#include "pg/cube/named.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/release/stored.hpp"

extern "C" {
#include "utils/array.h"
PG_FUNCTION_INFO_V1(dpmix_test);
}

namespace dpmix::pg {
namespace {

enum class TestKind { outcomes, means };
struct NamedTest {
  const char* name;
  TestKind kind;
  bool of_two;  // groups, and outcomes
};
constexpr NamedTest kTests[] = {{"chi2", TestKind::outcomes, false},
                                {"proportions", TestKind::outcomes, true},
                                {"anova", TestKind::means, false},
                                {"t", TestKind::means, true}};

struct Asked {
  const NamedTest* test;
  int by;  // the key
  int groups;
  int* group;   // places of that key
  int set;      // the table
  int outcome;  // the other key, or the measure
  int count;    // the statistic that counts rows, where outcomes are counted
  double level;
};

const NamedTest* test_argument(FunctionCallInfo fcinfo) {
  const char* name = text_argument(fcinfo, 1);
  for (const NamedTest& test : kTests) {
    if (strcmp(test.name, name) == 0) return &test;
  }
  refuse_argument(psprintf("there is no test \"%s\"", quoted_prefix(name)),
                  "Of outcomes by group: chi2, or proportions (two groups, two outcomes). Of means "
                  "by group: anova, or t (two groups).",
                  "Name one of them.");
}

int value_named(const KeyColumn& key, const char* name) {
  for (int i = 0; i < key.categories; i++) {
    if (strcmp(TextDatumGetCString(key.shown[i]), name) == 0) return i;
  }
  return -1;
}

const char* values_list(const KeyColumn& key) {
  const char** names = (const char**)palloc(sizeof(char*) * Max(key.categories, 1));
  for (int i = 0; i < key.categories; i++) names[i] = TextDatumGetCString(key.shown[i]);
  return list_of(names, key.categories);
}

// The groups that are compared: all with a public value, or those named.
void read_groups(FunctionCallInfo fcinfo, const StoredCube& cube, Asked* asked) {
  const KeyColumn& key = cube.groups->key[asked->by];
  asked->group = (int*)palloc(sizeof(int) * Max(key.categories, 1));
  if (PG_ARGISNULL(4)) {
    for (int i = 0; i < key.categories; i++) asked->group[asked->groups++] = i;
  } else {
    Datum* values;
    bool* nulls;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(4), TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls,
                      &count);
    for (int i = 0; i < count; i++) {
      const char* name = nulls[i] ? "NULL" : TextDatumGetCString(values[i]);
      const int value = nulls[i] ? -1 : value_named(key, name);
      bool twice = false;
      for (int j = 0; j < asked->groups; j++) twice |= asked->group[j] == value;
      if (value < 0 || twice) {
        refuse_argument(psprintf("\"%s\" is no value of %s, or given twice", quoted_prefix(name),
                                 cube.key[asked->by]),
                        psprintf("It has %s.", values_list(key)), "Name two of them, or more.");
      }
      asked->group[asked->groups++] = value;
    }
  }
  if (asked->groups >= 2 && (!asked->test->of_two || asked->groups == 2)) return;
  refuse_argument(psprintf("the test %s compares %s groups, not %d", asked->test->name,
                           asked->test->of_two ? "two" : "two or more", asked->groups),
                  psprintf("%s has %s.", cube.key[asked->by], values_list(key)),
                  "Name the groups: among => '{a,b}'.");
}

void read_outcome(FunctionCallInfo fcinfo, const StoredCube& cube, Asked* asked) {
  const char* name = NameStr(*PG_GETARG_NAME(3));
  KeySet keys = KeySet{1} << asked->by;
  if (asked->test->kind == TestKind::means) {
    asked->outcome = measure_in(cube, psprintf("variance(%s)", name));
  } else {
    asked->outcome = key_in(cube, name);
    asked->count = cube.statistics->parts[measure_in(cube, "count")].count;
    if (asked->outcome == asked->by) {
      refuse_argument("groups and outcomes are the same key", NULL, "Name two keys of the cube.");
    }
    keys |= KeySet{1} << asked->outcome;
    const int outcomes = cube.groups->key[asked->outcome].categories;
    if (outcomes < 2 || (asked->test->of_two && outcomes != 2)) {
      refuse_argument(psprintf("the test %s needs %s outcomes", asked->test->name,
                               asked->test->of_two ? "two" : "two or more"),
                      psprintf("%s has %d.", name, outcomes), "Use chi2 for more than two.");
    }
    if (asked->groups * outcomes > kMostTestCells) {
      refuse_argument("too many groups and outcomes",
                      psprintf("They make %d cells; at most %d can be tested together.",
                               asked->groups * outcomes, kMostTestCells),
                      "Name fewer groups: among => '{a,b}'.");
    }
  }
  asked->set = table_of(cube, keys);
}

Asked read_test(FunctionCallInfo fcinfo, const StoredCube& cube) {
  require_arguments(fcinfo, 4);
  require_argument(fcinfo, 5);
  Asked asked = {};
  asked.test = test_argument(fcinfo);
  asked.by = key_in(cube, NameStr(*PG_GETARG_NAME(2)));
  read_groups(fcinfo, cube, &asked);
  read_outcome(fcinfo, cube, &asked);
  asked.level = checked_level(PG_GETARG_FLOAT8(5));
  if (asked.level >= 1 - kNuisance) {
    refuse_argument("the level is too high",
                    psprintf("It is %g; it must be below %g.", asked.level, 1 - kNuisance),
                    "Pass .95 or .99.");
  }
  return asked;
}

// The table of a test: its cells, and how the noise in them goes together.
class Table {
 public:
  Table(const StoredCube& cube, const Asked& asked, const AgreeingCells& agreed)
      : cube_(cube),
        asked_(asked),
        agreed_(agreed),
        set_(cube.groups->cube->sets->keys[asked.set]),
        workload_(workload_of(cube.groups)),
        residuals_(workload_.precisions({cube.groups->cube->precision, workload_.sets()})) {}

  // Of a group and, where the table has two keys, an outcome.
  std::vector<int> cell(int group, int outcome = 0) const {
    std::vector<int> values;
    for (const int key : keys_of(set_)) {
      values.push_back(key == asked_.by ? asked_.group[group] : outcome);
    }
    return values;
  }
  double number(const std::vector<int>& cell, int statistic) const {
    const std::vector<int> keys = keys_of(set_);
    int group = 0;
    for (std::size_t k = 0; k < keys.size(); k++) {
      group = group * workload_.size(keys[k]) + cell[k];
    }
    group += cube_.groups->cube->first[asked_.set];
    return (double)agreed_.centre[(Size)group * cube_.statistics->cells + statistic];
  }
  // Of the noise in these cells, for a law of deviation 1.
  Matrix covariance(const std::vector<std::vector<int>>& cells) const {
    const auto size = (Eigen::Index)cells.size();
    Matrix all(size, size);
    for (Eigen::Index a = 0; a < size; a++) {
      for (Eigen::Index b = 0; b < size; b++) {
        all(a, b) = workload_.covariance(set_, cells[(Size)a], cells[(Size)b], residuals_);
      }
    }
    return all;
  }
  // In steps; roundings of tables and of answers are in it.
  double stddev(int statistic) const {
    const double scale = cube_.noise[statistic].law.scale,
                 stretch = std::min(1.0, cube_.groups->cube->least_stretch);
    return std::sqrt(scale * scale + 1 / (6 * stretch * stretch));
  }

 private:
  const StoredCube& cube_;
  const Asked& asked_;
  const AgreeingCells& agreed_;
  KeySet set_;
  CubeWorkload workload_;
  std::vector<double> residuals_;
};

OutcomeCounts outcome_counts(const Table& table, const StoredCube& cube, const Asked& asked) {
  const int outcomes = cube.groups->key[asked.outcome].categories;
  std::vector<std::vector<int>> cells;
  OutcomeCounts counts{Matrix(asked.groups, outcomes), {}};
  for (int g = 0; g < asked.groups; g++) {
    for (int c = 0; c < outcomes; c++) {
      cells.push_back(table.cell(g, c));
      counts.count(g, c) = table.number(cells.back(), asked.count);
    }
  }
  const double stddev = table.stddev(asked.count);
  counts.noise = stddev * stddev * table.covariance(cells);
  return counts;
}

// Values from -1 to 1: the ends of the bounds.
GroupMoments group_moments(const Table& table, const StoredCube& cube, const Asked& asked) {
  const AggregateParts& parts = cube.statistics->parts[asked.outcome];
  const double steps = (double)cube.statistics->statistic[parts.sum].lattice.high;
  const double square = square_unit(cube.statistics->statistic[parts.sum].lattice);
  std::vector<std::vector<int>> cells;
  for (int g = 0; g < asked.groups; g++) cells.push_back(table.cell(g));
  const double size_stddev = table.stddev(parts.count);
  GroupMoments moments{Vector(asked.groups),
                       Vector(asked.groups),
                       Vector(asked.groups),
                       table.covariance(cells),
                       size_stddev,
                       table.stddev(parts.sum) / steps,
                       std::hypot(size_stddev / 2, square * table.stddev(parts.squares))};
  for (int g = 0; g < asked.groups; g++) {
    const std::vector<int>& cell = cells[(Size)g];
    moments.size[g] = table.number(cell, parts.count);
    moments.sum[g] = table.number(cell, parts.sum) / steps;
    moments.squares[g] = moments.size[g] / 2 + square * table.number(cell, parts.squares);
  }
  return moments;
}

struct Told {
  GroupTest test;
  bool of_two;
  GroupDifference difference;
};

Told tell(StoredCube* cube, const Asked& asked) {
  const AgreeingCells agreed = agree(cube);
  return guard([&] {
    const Table table(*cube, asked, agreed);
    Told told = {};
    told.of_two = asked.groups == 2;
    if (asked.test->kind == TestKind::means) {
      const GroupMoments moments = group_moments(table, *cube, asked);
      const AggregateParts& parts = cube->statistics->parts[asked.outcome];
      const double unit = reach_of(cube->statistics->statistic[parts.sum].lattice);
      told.test = test_of_means(moments);
      if (told.of_two) {
        const GroupDifference found = difference_of_means(moments, asked.level);
        told.difference = {found.estimate * unit, found.low * unit, found.high * unit};
      }
    } else {
      const OutcomeCounts counts = outcome_counts(table, *cube, asked);
      told.test = test_of_outcomes(counts);
      told.of_two &= counts.count.cols() == 2;
      if (told.of_two) told.difference = difference_of_shares(counts, asked.level);
    }
    return told;
  });
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_test(PG_FUNCTION_ARGS) {
  StoredCube cube = load_cube(release_argument(fcinfo, 0));
  const Asked asked = read_test(fcinfo, cube);
  const Told told = tell(&cube, asked);
  return row_datum(fcinfo, {told.test.statistic, told.test.degrees, told.test.p_value,
                            value_if(told.of_two, told.difference.estimate),
                            value_if(told.of_two, told.difference.low),
                            value_if(told.of_two, told.difference.high)});
}
