#include "pg/query/recall/kept_tables.hpp"

#include <algorithm>
#include <limits>

#include "core/query/upgrade.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {
namespace {

bool comes_before(const Digest& a, const Digest& b) {
  return memcmp(a.bytes, b.bytes, kDigestBytes) < 0;
}

double* wanted_precisions(const PricedQuery* priced) {
  const int count = priced->statistics->count, sets = sets_of(priced->groups);
  const QueryCube* cube = priced->groups->cube;
  double* wanted = (double*)palloc(sizeof(double) * count * sets);
  for (int i = 0; i < count; i++) {
    const double whole = guard([&] { return precision_of_law(priced->noise[i].law); });
    for (int set = 0; set < sets; set++) {
      wanted[set * count + i] = whole / (cube != NULL ? cube->variance[set] : 1);
    }
  }
  return wanted;
}

void find_cubes(const AskedTables& asked, const Readable& readable, KeptTables* kept) {
  const StoredDraws stored = read_draws(&asked.cubes, 1, readable, true);
  kept->match = (CubeMatch*)palloc(sizeof(CubeMatch) * (stored.count + 1));
  kept->reach = (CubeReach**)palloc0(sizeof(CubeReach*) * (stored.count + 1));
  const Size size = sizeof(CubeReach) * sets_of(kept->priced->groups);
  CubeReach* reach = (CubeReach*)palloc(size);
  for (int i = 0; i < stored.count; i++) {
    CHECK_FOR_INTERRUPTS();
    CubeMatch* match = &kept->match[kept->cubes];
    match->at = stored.draw[i].at;
    if (!read_kept_cube(stored.draw[i], &match->cube) || !match_cube(asked, match)) continue;
    match->tells = match->tells && find_reaches(kept->priced, *match, reach);
    if (match->tells) {
      kept->reach[kept->cubes] = reach;
      reach = (CubeReach*)palloc(size);
    }
    kept->cubes++;
  }
}

// Their draws, each item once: several releases may name the same one.
void find_draws(const Readable& readable, KeptTables* kept) {
  const int statistics = kept->priced->statistics->count;
  kept->key = (Digest*)palloc(sizeof(Digest) * ((Size)kept->cubes * statistics + 1));
  for (int c = 0; c < kept->cubes; c++) {
    for (int i = 0; i < statistics; i++) {
      if (kept->match[c].statistic[i] < 0) continue;
      kept->key[kept->keys++] = item_of(kept->match[c], i);
    }
  }
  std::sort(kept->key, kept->key + kept->keys, comes_before);
  const auto same = [](const Digest& a, const Digest& b) {
    return memcmp(a.bytes, b.bytes, kDigestBytes) == 0;
  };
  kept->keys = (int)(std::unique(kept->key, kept->key + kept->keys, same) - kept->key);
  kept->draws = read_draws(kept->key, kept->keys, readable, false);
  kept->first = (int*)palloc(sizeof(int) * (kept->keys + 1));
  for (int k = 0, d = 0; k <= kept->keys; k++) {
    while (d < kept->draws.count && kept->draws.draw[d].key < k) d++;
    kept->first[k] = d;
  }
}

}  // namespace

int key_number(const KeptTables& kept, const Digest& item) {
  return (int)(std::lower_bound(kept.key, kept.key + kept.keys, item, comes_before) - kept.key);
}

const Digest& item_of(const CubeMatch& match, int statistic) {
  return match.cube.item[match.statistic[statistic]];
}

bool find_reaches(const PricedQuery* priced, const CubeMatch& match, CubeReach* reach) {
  return guard([&] {
    const CubeWorkload workload = workload_of_kept(match.cube);
    const SumReaches of(workload, {match.cube.stretch, workload.sets()});
    for (int set = 0; set < sets_of(priced->groups); set++) {
      const CubeSelection selection = selection_of(priced, match, set);
      if (workload.known(selection.keys).empty()) return false;
      reach[set] = of.sum(selection.keys, selection.lengths());
    }
    return true;
  });
}

Advantage advantage_of(const KeptTables& kept, int statistic, const NoiseLaw& law,
                       const CubeReach* reach) {
  Advantage made = {std::numeric_limits<double>::infinity(), true};
  for (int set = 0; set < sets_of(kept.priced->groups); set++) {
    const double stored = 1 / (law.scale * law.scale * reach[set].variance);
    const double wanted = kept.wanted[set * kept.priced->statistics->count + statistic];
    made.ratio = std::min(made.ratio, stored / wanted);
    made.enough = made.enough && missing_deviation(stored, wanted) == 0;
  }
  return made;
}

KeptTables kept_tables(const AskedTables& asked, const Readable& readable) {
  KeptTables kept = {};
  kept.priced = asked.priced;
  kept.wanted = wanted_precisions(asked.priced);
  find_cubes(asked, readable, &kept);
  if (kept.cubes > 0) find_draws(readable, &kept);
  return kept;
}

}  // namespace dpmix::pg
