// What memory has that a query may be answered from: kept cubes that tell it, or help others to,
// and their draws. A function of public numbers.
#pragma once

#include "core/query/cube_noise.hpp"
#include "pg/query/recall/match_cube.hpp"

namespace dpmix::pg {

struct KeptTables {
  const PricedQuery* priced;
  double* wanted;  // precision, [set * statistics + statistic]
  int cubes;
  CubeMatch* match;   // oldest first; some only help others to tell the query
  CubeReach** reach;  // that of each grouping set, for each cube that tells the query
  int keys;
  Digest* key;  // keys of the draws that they name, ascending, each once
  StoredDraws draws;
  int* first;  // draw of each key, and the end
};
KeptTables kept_tables(const AskedTables& asked, const Readable& readable);

// The key of a cube's draws of a statistic of the query, which it has; its number.
const Digest& item_of(const CubeMatch& match, int statistic);
int key_number(const KeptTables& kept, const Digest& item);

// visit(draw) of those that are the tables of a cube.
template <class Visit>
void each_draw(const KeptTables& kept, const CubeMatch& match, int statistic, const Visit& visit) {
  const int key = key_number(kept, item_of(match, statistic));
  const double bytes = cells_of_kept(match.cube) * sizeof(Int128);
  for (int d = kept.first[key]; d < kept.first[key + 1]; d++) {
    const StoredDraw& draw = kept.draws.draw[d];
    if ((double)draw.size == bytes && draw.law.family == Family::gaussian) visit(&draw);
  }
}

// false: the cube has no table of some set's keys. reach: of each grouping set.
bool find_reaches(const PricedQuery* priced, const CubeMatch& match, CubeReach* reach);

struct Advantage {
  double ratio;  // their precision to what this request would buy, in the set where it is least
  bool enough;
};
// The advantage of a statistic's answers. Infinite: they are exact, for no value is admitted.
Advantage advantage_of(const KeptTables& kept, int statistic, const NoiseLaw& law,
                       const CubeReach* reach);

}  // namespace dpmix::pg
