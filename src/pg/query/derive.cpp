#include "pg/query/derive.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/cube/least_squares.hpp"
#include "core/cube/selection.hpp"
#include "core/query/upgrade.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/canonical.hpp"
#include "pg/query/filter_values.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace dpmix::pg {
namespace {

struct Asked {  // of the query, what tables must have
  const PricedQuery* priced;
  const MemoryTerms* terms;
  Digest cubes;
  int conditions;
  const Node** condition;
  Digest *condition_id, *key, *statistic;
};

Asked asked_of(const PricedQuery* priced, const MemoryTerms& terms) {
  Asked asked = {};
  asked.priced = priced;
  asked.terms = &terms;
  asked.cubes = key_of_kept_cubes(priced, terms);
  const List* conditions = make_ands_implicit((Expr*)priced->shape->where);
  const int keys = priced->groups->keys, statistics = priced->statistics->count;
  asked.condition = (const Node**)palloc(sizeof(Node*) * (list_length(conditions) + 1));
  asked.condition_id = (Digest*)palloc(sizeof(Digest) * (list_length(conditions) + 1));
  asked.key = (Digest*)palloc(sizeof(Digest) * (keys + 1));
  asked.statistic = (Digest*)palloc(sizeof(Digest) * (statistics + 1));
  const ListCell* cell;
  foreach (cell, conditions) {
    const int i = asked.conditions++;
    asked.condition[i] = (const Node*)lfirst(cell);
    asked.condition_id[i] = digest_in(terms, asked.cubes, canonical_node(lfirst(cell)));
  }
  for (int k = 0; k < keys; k++) {
    asked.key[k] = digest_in(terms, asked.cubes, canonical_key(&priced->groups->key[k]));
  }
  for (int i = 0; i < statistics; i++) {
    asked.statistic[i] = statistic_in(priced, terms, asked.cubes, i);
  }
  return asked;
}

int find(const Digest& digest, const Digest* among, int count) {
  for (int i = 0; i < count; i++) {
    if (memcmp(digest.bytes, among[i].bytes, kDigestBytes) == 0) return i;
  }
  return -1;
}

struct Match {  // of a query and a cube
  KeptCube cube;
  int* place;       // of each key of the query, among the cube's
  bool** admitted;  // values of each key of the cube; NULL: all rows
  int* statistic;   // of each of the query, in the cube
};

// A condition that the cube does not have.
bool match_filter(const Asked& asked, const Node* condition, Match* match) {
  const List* columns = columns_of((Node*)condition);
  if (list_length(columns) != 1) return false;
  Var* column = linitial_node(Var, columns);
  const Digest id = digest_in(*asked.terms, asked.cubes, canonical_node(column));
  for (int k = 0; k < match->cube.keys; k++) {
    const KeptKey& key = match->cube.key[k];
    if (!key.has_values || find(id, &key.column, 1) < 0) continue;
    if (match->admitted[k] == NULL) {
      match->admitted[k] = (bool*)palloc(sizeof(bool) * (key.categories + 1));
      std::fill_n(match->admitted[k], key.categories, true);
    }
    return filter_values(condition, column, key, values_of(key), match->admitted[k]);
  }
  return false;
}

bool match_conditions(const Asked& asked, Match* match) {
  const KeptCube& cube = match->cube;
  for (int i = 0; i < cube.conditions; i++) {
    if (find(cube.condition[i], asked.condition_id, asked.conditions) < 0) return false;
  }
  for (int i = 0; i < asked.conditions; i++) {
    if (find(asked.condition_id[i], cube.condition, cube.conditions) >= 0) continue;
    if (!match_filter(asked, asked.condition[i], match)) return false;
  }
  return true;
}

bool match_keys(const Asked& asked, Match* match) {
  const int keys = asked.priced->groups->keys;
  for (int k = 0; k < keys; k++) {
    match->place[k] = -1;
    for (int c = 0; c < match->cube.keys && match->place[k] < 0; c++) {
      if (find(asked.key[k], &match->cube.key[c].id, 1) >= 0) match->place[k] = c;
    }
    if (match->place[k] < 0) return false;
  }
  return true;
}

// Rows that some key of the cube leaves out are in none of its tables: the query must leave them
// out, too.
bool same_population(const Asked& asked, const Match& match) {
  for (int c = 0; c < match.cube.keys; c++) {
    const KeptKey& key = match.cube.key[c];
    if (key.others || key.coverage == Coverage::all || match.admitted[c] != NULL) continue;
    const int* end = match.place + asked.priced->groups->keys;
    if (std::find((const int*)match.place, end, c) == end) return false;
  }
  return true;
}

bool match_cube(const Asked& asked, Match* match) {
  match->place = (int*)palloc(sizeof(int) * (asked.priced->groups->keys + 1));
  match->admitted = (bool**)palloc0(sizeof(bool*) * (match->cube.keys + 1));
  match->statistic = (int*)palloc(sizeof(int) * (asked.priced->statistics->count + 1));
  for (int i = 0; i < asked.priced->statistics->count; i++) {
    match->statistic[i] = find(asked.statistic[i], match->cube.statistic, match->cube.statistics);
    if (match->statistic[i] < 0) return false;
  }
  return match_keys(asked, match) && match_conditions(asked, match) &&
         same_population(asked, *match);
}

KeySet keys_of_set(const PricedQuery* priced, int set) {
  const QueryCube* cube = priced->groups->cube;
  return cube != NULL ? cube->sets->keys[set] : ~KeySet{0};
}

// In guard(). The cells that answers of a set of the query are sums of.
CubeSelection selection_of(const PricedQuery* priced, const Match& match, int set) {
  const KeySet grouped = keys_of_set(priced, set);
  CubeSelection made;
  std::vector<bool> by(match.cube.keys), asked(match.cube.keys);
  for (int k = 0; k < priced->groups->keys; k++) {
    asked[match.place[k]] = true;
    by[match.place[k]] = (grouped >> k & 1) != 0;
  }
  for (int c = 0; c < match.cube.keys; c++) {
    const KeptKey& key = match.cube.key[c];
    const bool* admitted = match.admitted[c];
    const bool narrows = admitted != NULL || (asked[c] && key.others);
    if (!by[c] && !narrows) continue;
    made.keys |= KeySet{1} << c;
    std::vector<std::vector<int>> lists(by[c] ? key.categories : 1);
    for (int v = 0; v < key.categories; v++) {
      if (admitted == NULL || admitted[v]) lists[by[c] ? v : 0].push_back(v);
    }
    made.lists.push_back(std::move(lists));
  }
  return made;
}

// In guard().
CubeWorkload workload_of_kept(const KeptCube& cube) {
  std::vector<int> sizes;
  for (int k = 0; k < cube.keys; k++) sizes.push_back(cube.key[k].categories + cube.key[k].others);
  return {sizes, {cube.set, (std::size_t)cube.sets}};
}

// In guard().
std::size_t cells_in(const CubeWorkload& workload) {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < workload.sets(); i++) cells += workload.cells(workload.set(i));
  return cells;
}

// In guard(). Of an answer's statistic; infinite: it is exact, for no value is admitted.
double derived_precision(const NoiseLaw& law, const CubeReach& reach) {
  return 1 / (law.scale * law.scale * reach.variance);
}

double wanted_precision(const PricedQuery* priced, int statistic, int set) {
  const NoiseLaw& law = priced->noise[statistic].law;
  const QueryCube* cube = priced->groups->cube;
  return precision_of_law(law) / (cube != NULL ? cube->variance[set] : 1);
}

// In guard(). false: the cube has no table of some set's keys.
bool find_reaches(const PricedQuery* priced, const Match& match, CubeReach* reach) {
  const CubeWorkload workload = workload_of_kept(match.cube);
  const std::span stretch(match.cube.stretch, workload.sets());
  for (int set = 0; set < sets_of(priced->groups); set++) {
    const CubeSelection selection = selection_of(priced, match, set);
    if (workload.known(selection.keys).empty()) return false;
    reach[set] = reach_of_sum(workload, stretch, selection.keys, selection.lengths(),
                              (double)cells_in(workload));
  }
  return true;
}

// The most precise draw of each statistic; of equal ones the newest. false: one is missing.
bool find_draws(const PricedQuery* priced, const Match& match, double seconds, bool contents,
                const StoredDraw** chosen) {
  const int count = priced->statistics->count;
  Digest* keys = (Digest*)palloc(sizeof(Digest) * count);
  for (int i = 0; i < count; i++) keys[i] = match.cube.item[match.statistic[i]];
  const StoredDraws draws = read_draws(keys, count, seconds, contents);
  const Size size = sizeof(Int128) * guard([&] { return cells_in(workload_of_kept(match.cube)); });
  std::fill_n(chosen, count, (const StoredDraw*)NULL);
  for (int d = 0; d < draws.count; d++) {
    const StoredDraw& draw = draws.draw[d];
    if (draw.size != size || draw.law.family != Family::gaussian) continue;
    const StoredDraw*& best = chosen[draw.key];
    if (best == NULL || draw.law.scale <= best->law.scale) best = &draw;
  }
  return std::find(chosen, chosen + count, (const StoredDraw*)NULL) == chosen + count;
}

// How much more precise than what this request would buy, in the statistic where it is least.
double advantage(const PricedQuery* priced, const StoredDraw* const* draw, const CubeReach* reach) {
  double least = std::numeric_limits<double>::infinity();
  for (int set = 0; set < sets_of(priced->groups); set++) {
    for (int i = 0; i < priced->statistics->count; i++) {
      const double stored = derived_precision(draw[i]->law, reach[set]);
      const double wanted = guard([&] { return wanted_precision(priced, i, set); });
      if (missing_deviation(stored, wanted) > 0) return 0;
      least = std::min(least, stored / wanted);
    }
  }
  return least;
}

// In guard(). Where the answer of a group lies among the sums of a selection, whose keys are those
// of the cube.
std::size_t place_of(const PricedQuery* priced, const Match& match, const CubeSelection& selection,
                     int set, std::size_t group) {
  const KeySet grouped = keys_of_set(priced, set);
  std::vector<std::size_t> value(match.cube.keys);
  for (int k = priced->groups->keys - 1; k >= 0; k--) {
    if ((grouped >> k & 1) == 0) continue;
    const auto size = (std::size_t)priced->groups->key[k].categories;
    value[match.place[k]] = group % size;
    group /= size;
  }
  std::size_t place = 0, next = 0;
  for (const int c : keys_of(selection.keys)) {
    place = place * selection.lists[next++].size() + value[c];
  }
  return place;
}

// In guard(). Of one statistic.
void add_up(const PricedQuery* priced, const Match& match, int statistic, DerivedAnswer* answer) {
  const CubeWorkload workload = workload_of_kept(match.cube);
  std::vector<double> precision;
  for (int s = 0; s < match.cube.sets; s++) {
    precision.push_back(1 / (match.cube.stretch[s] * match.cube.stretch[s]));
  }
  CubeLeastSquares fit(workload, precision);
  const char* at = answer->draw[statistic]->content;
  for (std::size_t s = 0; s < workload.sets(); s++) {
    std::vector<double> table(workload.cells(workload.set(s)));
    for (double& cell : table) {
      Int128 stored;
      memcpy((void*)&stored, at, sizeof stored);
      at += sizeof stored;
      cell = (double)stored;
    }
    fit.add(s, table);
  }
  const int width = priced->statistics->count;
  for (int set = 0; set < sets_of(priced->groups); set++) {
    const CubeSelection selection = selection_of(priced, match, set);
    const auto centre = selected_sums(workload, selection, fit.marginal(selection.keys));
    const auto shown = selected_sums(workload, selection, fit.whole_marginal(selection.keys));
    answer->slack[set * width + statistic] =
        fit.slack_of_cell(selection.keys) * std::max(selection.cells(), 1.);
    const QueryCube* cube = priced->groups->cube;
    const int first = cube != NULL ? cube->first[set] : 0;
    const int end = cube != NULL ? cube->first[set + 1] : priced->groups->count;
    for (int group = first; group < end; group++) {
      const std::size_t place =
          place_of(priced, match, selection, set, (std::size_t)(group - first));
      constexpr double kMost = 0x1p112;  // as CubeLeastSquares
      answer->shown[group * width + statistic] = shown[place];
      answer->centre[group * width + statistic] =
          (Int128)std::nearbyint(std::clamp(centre[place], -kMost, kMost));
    }
  }
}

}  // namespace

DerivedAnswer* derive_answer(const PricedQuery* priced, const MemoryTerms& terms, double seconds,
                             bool contents) {
  const Asked asked = asked_of(priced, terms);
  const int count = priced->statistics->count, sets = sets_of(priced->groups);
  const StoredDraws cubes = read_draws(&asked.cubes, 1, seconds, true);
  Match best = {};
  double most = 0;
  const StoredDraw** draw = (const StoredDraw**)palloc(sizeof(StoredDraw*) * (count + 1));
  CubeReach *reach = (CubeReach*)palloc(sizeof(CubeReach) * sets),
            *best_reach = (CubeReach*)palloc(sizeof(CubeReach) * sets);
  for (int i = 0; i < cubes.count; i++) {
    CHECK_FOR_INTERRUPTS();
    Match match = {};
    if (!read_kept_cube(cubes.draw[i], &match.cube) || !match_cube(asked, &match) ||
        !guard([&] { return find_reaches(priced, match, reach); }) ||
        !find_draws(priced, match, seconds, false, draw)) {
      continue;
    }
    const double here = advantage(priced, draw, reach);
    if (here <= 0 || here < most) continue;  // of equal ones the newest
    most = here;
    best = match;
    std::copy_n(reach, sets, best_reach);
  }
  // What was there may have given way meanwhile.
  if (most <= 0 || !find_draws(priced, best, seconds, contents, draw)) return NULL;
  DerivedAnswer* made = (DerivedAnswer*)palloc0(sizeof(DerivedAnswer));
  made->cube = best.cube.name;
  made->draw = draw;
  made->reach = best_reach;
  if (!contents) return made;
  const Size cells = (Size)priced->groups->count * count;
  made->shown = make_cells(cells);
  made->centre = make_cells(cells);
  made->slack = (double*)palloc(sizeof(double) * sets * count);
  guard([&] {
    for (int i = 0; i < count; i++) add_up(priced, best, i, made);
  });
  return made;
}

}  // namespace dpmix::pg
