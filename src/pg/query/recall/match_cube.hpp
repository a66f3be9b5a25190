// Whether a kept cube tells a query, and which of its cells the answers are sums of.
// docs/proofs/cube.md, Derived answers.
#pragma once

#include "core/cube/selection.hpp"
#include "pg/query/recall/kept_cube.hpp"

namespace dpmix::pg {

struct AskedTables {  // what tables must have to answer the query
  const PricedQuery* priced;
  const MemoryTerms* terms;
  Digest cubes;
  int conditions;
  const Node** condition;
  Digest *condition_id, *key, *column, *statistic;  // a key with its values, and its expression
};
AskedTables asked_tables(const PricedQuery* priced, const MemoryTerms& terms);

struct CubeMatch {
  KeptCube cube;
  TimestampTz at;   // when it was released
  int* statistic;   // the cube's number of each statistic of the query; -1: it has none
  bool tells;       // the query follows from its tables. What is below counts only then
  int* place;       // that of each key of the query, among the cube's keys
  int** value;      // each value's of such a key, among those of the cube's key; NULL: the same
  bool** admitted;  // values of each key of the cube; NULL: all rows
};
// The cube is there already. false: it has none of the statistics, or a condition that the query
// does not have.
bool match_cube(const AskedTables& asked, CubeMatch* match);

// -1: it is not among them.
int find_digest(const Digest& digest, const Digest* among, int count);

// The cells that answers of a grouping set of the query are sums of. In guard().
CubeSelection selection_of(const PricedQuery* priced, const CubeMatch& match, int set);
// The place of the answer of a group of that set, the number-th, among these sums. In guard().
std::size_t place_of(const PricedQuery* priced, const CubeMatch& match,
                     const CubeSelection& selection, int set, std::size_t number);

}  // namespace dpmix::pg
