#include "pg/query/recall/table_sources.hpp"

#include <algorithm>
#include <limits>

#include "core/cube/renumbering.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/recall/kept_tables.hpp"

namespace dpmix::pg {
namespace {

constexpr int kMostSources = 8;         // sources of an answer: each one more widens its interval
constexpr double kMostCells = 1 << 20;  // cells of several releases together
constexpr int kMostTries = 64;          // ways to take sources together, of a statistic
constexpr double kWorth = 1.01;         // how much precision one more source must bring

// A draw may be of an earlier release than the one that names it.
const char* cube_of(const KeptTables& kept, const CubeMatch& match, int statistic,
                    const StoredDraw* draw) {
  for (int c = 0; c < kept.cubes; c++) {
    const CubeMatch& other = kept.match[c];
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
StatisticSources first_source(const KeptTables& kept, const CubeMatch& match, int statistic,
                              const StoredDraw* draw) {
  StatisticSources made = {1, (TableSource*)palloc(sizeof(TableSource) * kMostSources), match,
                           kept.reach[&match - kept.match]};
  KeptCube* all = &made.all.cube;
  all->key = grown(all->key, all->keys, kMostKeys);
  made.all.admitted = grown(made.all.admitted, all->keys, kMostKeys);
  int* number = (int*)palloc(sizeof(int) * (all->keys + 1));
  for (int k = 0; k < all->keys; k++) number[k] = k;
  made.source[0] = {&match, draw, number, cube_of(kept, match, statistic, draw)};
  return made;
}

// The most precise draw; of equal ones the newest. NULL: there is none.
const StoredDraw* best_draw(const KeptTables& kept, const CubeMatch& match, int statistic) {
  const StoredDraw* best = NULL;
  if (match.statistic[statistic] < 0) return best;
  each_draw(kept, match, statistic, [&](const StoredDraw* each) {
    if (best == NULL || each->law.scale <= best->law.scale) best = each;
  });
  return best;
}

// The advantage of a release for the statistic for which it is least precise; 0: not enough.
double advantage_of_release(const KeptTables& kept, int cube) {
  if (!kept.match[cube].tells) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kept.priced->statistics->count; i++) {
    const StoredDraw* draw = best_draw(kept, kept.match[cube], i);
    if (draw == NULL) return 0;
    const Advantage here = advantage_of(kept, i, draw->law, kept.reach[cube]);
    if (!here.enough) return 0;
    least = std::min(least, here.ratio);
  }
  return least;
}

// The most precise release that is enough for all statistics; of equal ones the newest.
StatisticSources* one_release(const KeptTables& kept) {
  const CubeMatch* best = NULL;
  double most = 0;
  for (int c = 0; c < kept.cubes; c++) {
    CHECK_FOR_INTERRUPTS();
    const double here = advantage_of_release(kept, c);
    if (here <= 0 || here < most) continue;
    most = here;
    best = &kept.match[c];
  }
  if (best == NULL) return NULL;
  const int count = kept.priced->statistics->count;
  StatisticSources* made = (StatisticSources*)palloc(sizeof(StatisticSources) * count);
  for (int i = 0; i < count; i++) {
    made[i] = first_source(kept, *best, i, best_draw(kept, *best, i));
  }
  return made;
}

struct Candidate {
  const CubeMatch* match;
  const StoredDraw* draw;
  double ratio;  // Advantage, of it alone; 0: it does not tell the query
  bool tried;
};

bool is_better(const Candidate& a, const Candidate& b) {
  return a.ratio != b.ratio ? a.ratio > b.ratio : a.draw->at > b.draw->at;
}

// Each draw once. Releases that name one item have tables of the same keys and stretches.
Candidate* candidates_of(const KeptTables& kept, int statistic, int* count) {
  Candidate* made = (Candidate*)palloc(sizeof(Candidate) * (kept.draws.count + 1));
  bool* taken = (bool*)palloc0(sizeof(bool) * (kept.keys + 1));
  *count = 0;
  for (int c = 0; c < kept.cubes; c++) {
    CHECK_FOR_INTERRUPTS();
    const CubeMatch& match = kept.match[c];
    if (match.statistic[statistic] < 0) continue;
    bool* here = &taken[key_number(kept, item_of(match, statistic))];
    if (*here) continue;
    *here = true;
    each_draw(kept, match, statistic, [&](const StoredDraw* draw) {
      const double ratio =
          match.tells ? advantage_of(kept, statistic, draw->law, kept.reach[c]).ratio : 0;
      made[(*count)++] = {&match, draw, ratio, false};
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
      if (places_of(all->key[k]) != places_of(key)) return false;
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
bool join(const KeptTables& kept, int statistic, const Candidate& candidate,
          StatisticSources* sources, Advantage* now, int* tries) {
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
  more.reach = (CubeReach*)palloc(sizeof(CubeReach) * sets_of(kept.priced->groups));
  if (!find_reaches(kept.priced, more.all, more.reach)) return false;
  const Advantage made = advantage_of(kept, statistic, law, more.reach);
  if (!made.enough && made.ratio < now->ratio * kWorth) return false;
  more.source[more.count++] = {candidate.match, candidate.draw,
                               grown((const int*)number, cube.keys, cube.keys),
                               cube_of(kept, *candidate.match, statistic, candidate.draw)};
  *sources = more;
  *now = made;
  return true;
}

// Takes, for one statistic, the most precise draw, and those that may join it, most precise first,
// until they are enough. If they never are, the same from the best draw that was in no such
// attempt. Tables that do not tell the query alone come last: what they know of coarser sums helps.
bool several_releases(const KeptTables& kept, int statistic, StatisticSources* made) {
  int count, tries = kMostTries;
  Candidate* candidate = candidates_of(kept, statistic, &count);
  for (int first = 0; first < count && tries > 0; first++) {
    if (candidate[first].tried || !candidate[first].match->tells) continue;
    tries--;
    *made = first_source(kept, *candidate[first].match, statistic, candidate[first].draw);
    Advantage now = advantage_of(kept, statistic, candidate[first].draw->law, made->reach);
    for (int c = 0; !now.enough && c < count && tries > 0; c++) {
      CHECK_FOR_INTERRUPTS();
      if (join(kept, statistic, candidate[c], made, &now, &tries)) candidate[c].tried = true;
    }
    if (now.enough) return true;
  }
  return false;
}

}  // namespace

StatisticSources* table_sources(const AskedTables& asked, const Readable& readable) {
  const KeptTables kept = kept_tables(asked, readable);
  StatisticSources* made = one_release(kept);
  const int count = asked.priced->statistics->count;
  if (made != NULL || kept.cubes == 0) return made;
  made = (StatisticSources*)palloc(sizeof(StatisticSources) * count);
  for (int i = 0; i < count; i++) {
    if (!several_releases(kept, i, &made[i])) return NULL;
  }
  return made;
}

bool read_contents(StatisticSources* of, int statistic, const Readable& readable) {
  Digest* keys = (Digest*)palloc(sizeof(Digest) * of->count);
  for (int s = 0; s < of->count; s++) keys[s] = item_of(*of->source[s].match, statistic);
  const StoredDraws draws = read_draws(keys, of->count, readable, true);
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
