#include "pg/query/table_sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cube/renumbering.hpp"
#include "core/query/upgrade.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {
namespace {

constexpr int kMostSources = 8;        // of an answer: each one more widens its interval
constexpr double kMostCells = 1 << 20;  // of several releases together
constexpr int kMostTries = 64;         // ways to take sources together, of a statistic
constexpr double kWorth = 1.01;        // how much precision one more source must bring

struct Found {  // what the query may be answered from
  const PricedQuery* priced;
  int cubes;
  CubeMatch* match;  // oldest first
  CubeReach* reach;  // [cube * sets + set]
  int keys;
  Digest* key;  // of the draws that they name, ascending
  StoredDraws draws;
  int* first;  // draw of each key, and the end
};

bool comes_before(const Digest& a, const Digest& b) {
  return memcmp(a.bytes, b.bytes, kDigestBytes) < 0;
}

int key_number(const Found& found, const Digest& digest) {
  return (int)(std::lower_bound(found.key, found.key + found.keys, digest, comes_before) -
               found.key);
}

const Digest& item_of(const CubeMatch& match, int statistic) {
  return match.cube.item[match.statistic[statistic]];
}

// false: the cube has no table of some set's keys.
bool find_reaches(const PricedQuery* priced, const CubeMatch& match, CubeReach* reach) {
  return guard([&] {
    const CubeWorkload workload = workload_of_kept(match.cube);
    const std::span stretch(match.cube.stretch, workload.sets());
    const double cells = cells_of_kept(match.cube);
    for (int set = 0; set < sets_of(priced->groups); set++) {
      const CubeSelection selection = selection_of(priced, match, set);
      if (workload.known(selection.keys).empty()) return false;
      reach[set] = reach_of_sum(workload, stretch, selection.keys, selection.lengths(), cells);
    }
    return true;
  });
}

void find_cubes(const AskedTables& asked, double seconds, Found* found) {
  const StoredDraws kept = read_draws(&asked.cubes, 1, seconds, true);
  const int sets = sets_of(asked.priced->groups);
  found->match = (CubeMatch*)palloc(sizeof(CubeMatch) * (kept.count + 1));
  found->reach = (CubeReach*)palloc(sizeof(CubeReach) * ((Size)kept.count + 1) * sets);
  for (int i = 0; i < kept.count; i++) {
    CHECK_FOR_INTERRUPTS();
    CubeMatch* match = &found->match[found->cubes];
    match->at = kept.draw[i].at;
    if (read_kept_cube(kept.draw[i], &match->cube) && match_cube(asked, match) &&
        find_reaches(asked.priced, *match, found->reach + (Size)found->cubes * sets)) {
      found->cubes++;
    }
  }
}

// Their draws, each item once: several releases may name the same one.
void find_draws(double seconds, Found* found) {
  const int statistics = found->priced->statistics->count;
  found->key = (Digest*)palloc(sizeof(Digest) * ((Size)found->cubes * statistics + 1));
  for (int c = 0; c < found->cubes; c++) {
    for (int i = 0; i < statistics; i++) {
      if (found->match[c].statistic[i] < 0) continue;
      found->key[found->keys++] = item_of(found->match[c], i);
    }
  }
  std::sort(found->key, found->key + found->keys, comes_before);
  const auto same = [](const Digest& a, const Digest& b) {
    return memcmp(a.bytes, b.bytes, kDigestBytes) == 0;
  };
  found->keys = (int)(std::unique(found->key, found->key + found->keys, same) - found->key);
  found->draws = read_draws(found->key, found->keys, seconds, false);
  found->first = (int*)palloc(sizeof(int) * (found->keys + 1));
  for (int k = 0, d = 0; k <= found->keys; k++) {
    while (d < found->draws.count && found->draws.draw[d].key < k) d++;
    found->first[k] = d;
  }
}

// visit(draw) of those that are the tables of a cube.
template <class Visit>
void each_draw(const Found& found, const CubeMatch& match, int statistic, const Visit& visit) {
  const int key = key_number(found, item_of(match, statistic));
  const double bytes = cells_of_kept(match.cube) * sizeof(Int128);
  for (int d = found.first[key]; d < found.first[key + 1]; d++) {
    const StoredDraw& draw = found.draws.draw[d];
    if ((double)draw.size == bytes && draw.law.family == Family::gaussian) visit(&draw);
  }
}

double wanted_precision(const PricedQuery* priced, int statistic, int set) {
  const NoiseLaw& law = priced->noise[statistic].law;
  const QueryCube* cube = priced->groups->cube;
  const double whole = guard([&] { return precision_of_law(law); });
  return whole / (cube != NULL ? cube->variance[set] : 1);
}

struct Advantage {
  double ratio;  // to the precision that this request would buy, in the set where it is least
  bool enough;
};

// Of a statistic's answers. Infinite: they are exact, for no value is admitted.
Advantage advantage_of(const PricedQuery* priced, int statistic, const NoiseLaw& law,
                       const CubeReach* reach) {
  Advantage made = {std::numeric_limits<double>::infinity(), true};
  for (int set = 0; set < sets_of(priced->groups); set++) {
    const double stored = 1 / (law.scale * law.scale * reach[set].variance);
    const double wanted = wanted_precision(priced, statistic, set);
    made.ratio = std::min(made.ratio, stored / wanted);
    made.enough = made.enough && missing_deviation(stored, wanted) == 0;
  }
  return made;
}

// A draw may be of an earlier release than the one that names it.
const char* cube_of(const Found& found, const CubeMatch& match, int statistic,
                    const StoredDraw* draw) {
  for (int c = 0; c < found.cubes; c++) {
    const CubeMatch& other = found.match[c];
    if (other.at == draw->at && other.statistic[statistic] >= 0 &&
        find_digest(item_of(other, statistic), &item_of(match, statistic), 1) == 0) {
      return other.cube.name;
    }
  }
  return match.cube.name;
}

template <class Element>
Element* grown(const Element* from, int count, int capacity) {
  Element* made = (Element*)palloc0(sizeof(Element) * ((Size)capacity + 1));
  std::copy_n(from, count, made);
  return made;
}

// The sources of a statistic, one so far.
StatisticSources first_source(const Found& found, const CubeMatch& match, int statistic,
                              const StoredDraw* draw) {
  StatisticSources made = {1, (TableSource*)palloc(sizeof(TableSource) * kMostSources), match,
                           found.reach + (&match - found.match) * sets_of(found.priced->groups)};
  KeptCube* all = &made.all.cube;
  all->key = grown(all->key, all->keys, kMostKeys);
  made.all.admitted = grown(made.all.admitted, all->keys, kMostKeys);
  int* number = (int*)palloc(sizeof(int) * (all->keys + 1));
  for (int k = 0; k < all->keys; k++) number[k] = k;
  made.source[0] = {&match, draw, number, cube_of(found, match, statistic, draw)};
  return made;
}

// The most precise draw; of equal ones the newest. NULL: there is none.
const StoredDraw* best_draw(const Found& found, const CubeMatch& match, int statistic) {
  const StoredDraw* best = NULL;
  if (match.statistic[statistic] < 0) return best;
  each_draw(found, match, statistic, [&](const StoredDraw* each) {
    if (best == NULL || each->law.scale <= best->law.scale) best = each;
  });
  return best;
}

// Of all statistics, where a release is least precise; 0: not enough.
double advantage_of_release(const Found& found, int cube) {
  const CubeReach* reach = found.reach + (Size)cube * sets_of(found.priced->groups);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < found.priced->statistics->count; i++) {
    const StoredDraw* draw = best_draw(found, found.match[cube], i);
    if (draw == NULL) return 0;
    const Advantage here = advantage_of(found.priced, i, draw->law, reach);
    if (!here.enough) return 0;
    least = std::min(least, here.ratio);
  }
  return least;
}

// The most precise release that is enough for all statistics; of equal ones the newest.
StatisticSources* one_release(const Found& found) {
  const CubeMatch* best = NULL;
  double most = 0;
  for (int c = 0; c < found.cubes; c++) {
    CHECK_FOR_INTERRUPTS();
    const double here = advantage_of_release(found, c);
    if (here <= 0 || here < most) continue;
    most = here;
    best = &found.match[c];
  }
  if (best == NULL) return NULL;
  const int count = found.priced->statistics->count;
  StatisticSources* made = (StatisticSources*)palloc(sizeof(StatisticSources) * count);
  for (int i = 0; i < count; i++) {
    made[i] = first_source(found, *best, i, best_draw(found, *best, i));
  }
  return made;
}

struct Candidate {
  const CubeMatch* match;
  const StoredDraw* draw;
  double ratio;  // of it alone
  bool tried;
};

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.ratio != b.ratio) return a.ratio > b.ratio;
  if (a.draw->at != b.draw->at) return a.draw->at > b.draw->at;
  return a.match->at > b.match->at;
}

Candidate* candidates_of(const Found& found, int statistic, int* count) {
  const int sets = sets_of(found.priced->groups);
  int most = 1;
  for (int c = 0; c < found.cubes; c++) {
    if (found.match[c].statistic[statistic] < 0) continue;
    each_draw(found, found.match[c], statistic, [&](const StoredDraw*) { most++; });
  }
  Candidate* made = (Candidate*)palloc(sizeof(Candidate) * most);
  *count = 0;
  for (int c = 0; c < found.cubes; c++) {
    if (found.match[c].statistic[statistic] < 0) continue;
    each_draw(found, found.match[c], statistic, [&](const StoredDraw* draw) {
      const Advantage alone =
          advantage_of(found.priced, statistic, draw->law, found.reach + (Size)c * sets);
      made[(*count)++] = {&found.match[c], draw, alone.ratio, false};
    });
  }
  std::sort(made, made + *count, is_better);
  return made;
}

bool same_conditions(const KeptCube& a, const KeptCube& b) {
  for (int i = 0; i < a.conditions; i++) {
    if (find_digest(a.condition[i], b.condition, b.conditions) < 0) return false;
  }
  for (int i = 0; i < b.conditions; i++) {
    if (find_digest(b.condition[i], a.condition, a.conditions) < 0) return false;
  }
  return true;
}

// Numbers the keys of a cube among those of all, which grow by its own. false: their tables are not
// of the same rows, or there are too many keys.
bool number_keys(const KeptCube& cube, KeptCube* all, int* number) {
  const int before = all->keys;
  bool shared[kMostKeys] = {};
  for (int c = 0; c < cube.keys; c++) {
    const KeptKey& key = cube.key[c];
    int k = 0;
    while (k < before && (shared[k] || find_digest(key.id, &all->key[k].id, 1) < 0)) k++;
    if (k < before) {
      if (all->key[k].others != key.others) return false;
      shared[k] = true;
    } else {
      if (!has_every_row(key) || all->keys == kMostKeys) return false;
      k = all->keys++;
      all->key[k] = key;
    }
    number[c] = k;
  }
  for (int k = 0; k < before; k++) {
    if (!shared[k] && !has_every_row(all->key[k])) return false;
  }
  return true;
}

bool has_draw(const StatisticSources& sources, const StoredDraw* draw) {
  for (int s = 0; s < sources.count; s++) {
    const StoredDraw* there = sources.source[s].draw;
    if (there->key == draw->key && there->at == draw->at) return true;
  }
  return false;
}

// stretch: from the first draw's deviation to that of the cube's statistic.
void put_tables(const KeptCube& cube, const int* number, double stretch, KeptCube* all) {
  const int sets = all->sets + cube.sets;
  all->set = grown(all->set, all->sets, sets);
  all->stretch = grown(all->stretch, all->sets, sets);
  guard([&] {
    for (int s = 0; s < cube.sets; s++) {
      all->set[all->sets] = renumbered(cube.set[s], {number, (std::size_t)cube.keys});
      all->stretch[all->sets++] = stretch * cube.stretch[s];
    }
  });
}

// The sources with one more. false: they stay as they are, for it may not join or brings little.
bool join(const Found& found, int statistic, const Candidate& candidate, StatisticSources* sources,
          Advantage* now, int* tries) {
  const KeptCube& cube = candidate.match->cube;
  StatisticSources more = *sources;
  KeptCube* all = &more.all.cube;
  int number[kMostKeys];
  if (more.count == kMostSources || has_draw(more, candidate.draw) ||
      !same_conditions(cube, *all) || cells_of_kept(*all) + cells_of_kept(cube) > kMostCells ||
      !number_keys(cube, all, number)) {
    return false;
  }
  --*tries;
  const NoiseLaw& law = more.source[0].draw->law;
  put_tables(cube, number, candidate.draw->law.scale / law.scale, all);
  more.reach = (CubeReach*)palloc(sizeof(CubeReach) * sets_of(found.priced->groups));
  if (!find_reaches(found.priced, more.all, more.reach)) return false;
  const Advantage made = advantage_of(found.priced, statistic, law, more.reach);
  if (!made.enough && made.ratio < now->ratio * kWorth) return false;
  more.source[more.count++] = {candidate.match, candidate.draw,
                               grown((const int*)number, cube.keys, cube.keys),
                               cube_of(found, *candidate.match, statistic, candidate.draw)};
  *sources = more;
  *now = made;
  return true;
}

// Of one statistic: the most precise draw, and those that may join it, most precise first, until
// they are enough. If they never are, the same from the best draw that was in no such attempt.
bool several_releases(const Found& found, int statistic, StatisticSources* made) {
  int count, tries = kMostTries;
  Candidate* candidate = candidates_of(found, statistic, &count);
  for (int first = 0; first < count && tries > 0; first++) {
    if (candidate[first].tried) continue;
    tries--;
    *made = first_source(found, *candidate[first].match, statistic, candidate[first].draw);
    Advantage now =
        advantage_of(found.priced, statistic, candidate[first].draw->law, made->reach);
    for (int c = 0; !now.enough && c < count && tries > 0; c++) {
      CHECK_FOR_INTERRUPTS();
      if (join(found, statistic, candidate[c], made, &now, &tries)) candidate[c].tried = true;
    }
    if (now.enough) return true;
  }
  return false;
}

}  // namespace

StatisticSources* table_sources(const AskedTables& asked, double seconds) {
  Found found = {};
  found.priced = asked.priced;
  find_cubes(asked, seconds, &found);
  if (found.cubes == 0) return NULL;
  find_draws(seconds, &found);
  StatisticSources* made = one_release(found);
  if (made != NULL) return made;
  const int count = found.priced->statistics->count;
  made = (StatisticSources*)palloc(sizeof(StatisticSources) * count);
  for (int i = 0; i < count; i++) {
    if (!several_releases(found, i, &made[i])) return NULL;
  }
  return made;
}

bool read_contents(StatisticSources* of, int statistic, double seconds) {
  Digest* keys = (Digest*)palloc(sizeof(Digest) * of->count);
  for (int s = 0; s < of->count; s++) keys[s] = item_of(*of->source[s].match, statistic);
  const StoredDraws draws = read_draws(keys, of->count, seconds, true);
  for (int s = 0; s < of->count; s++) {
    const StoredDraw* chosen = of->source[s].draw;
    StoredDraw* end = draws.draw + draws.count;
    const StoredDraw* there = std::find_if(draws.draw, end, [&](const StoredDraw& draw) {
      return draw.key == s && draw.at == chosen->at && draw.size == chosen->size &&
             draw.law.scale == chosen->law.scale;
    });
    if (there == end) return false;
    of->source[s].draw = there;
  }
  return true;
}

}  // namespace dpmix::pg
