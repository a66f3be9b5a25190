// The kept tables that a query is answered from: those of one release where they are precise
// enough, otherwise those of several, taken together. A function of public numbers: laws, keys,
// clocks. docs/proofs/cube.md, Several releases.
#pragma once

#include "core/query/cube_noise.hpp"
#include "pg/query/recall/match_cube.hpp"

namespace dpmix::pg {

struct TableSource {
  const CubeMatch* match;
  const StoredDraw* draw;
  const int* number;  // that of each of its keys, among those of all sources
  const char* cube;   // the stored cube that drew it; empty: a query
};

struct StatisticSources {  // what the answers of one statistic are made of
  int count;
  TableSource* source;
  // All tables, source after source, as those of one cube. Its stretches make the deviation of
  // each table from that of the first draw.
  CubeMatch all;
  CubeReach* reach;  // that of each grouping set
};

// The sources of each statistic. NULL: what is there is not precise enough.
StatisticSources* table_sources(const AskedTables& asked, const Readable& readable);
// Reads the noisy integers of what was chosen. false: some of it gave way meanwhile.
bool read_contents(StatisticSources* of, int statistic, const Readable& readable);

}  // namespace dpmix::pg
