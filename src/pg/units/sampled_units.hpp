// The privacy units of a scan whose rows are sampled or weighed, while it runs.
//
// A scan that counts the rows of each unit goes before. How many of them count is drawn; then
// dpmix_internal.row_kept says of each row of the scan proper whether it is one. Or each unit gets
// weights; then dpmix_internal.row_weight says how much a row counts. Where that takes
// more memory than dpmix.scan_memory, both scans are done once for each share of the units. Every
// share is counted, whether or not the scan proper has a row. docs/proofs/query_units.md.
#pragma once

#include "core/query/contribution.hpp"
#include "core/query/norm_bound.hpp"
#include "pg/scan/silent_scan.hpp"

namespace dpmix::pg {

struct SampledUnits;

struct WeightsToFind {  // for lists of rows, which may be in several or in none
  int lists;            // 0: nothing is weighed
  NormBound* bound;     // each list's
  int* column;          // each one's in what counting gives: whether a row is in it; -1: all are
  int bits;
  bool by_group;
};

struct UnitsToSample {
  bool draws;         // which rows count, for row_kept
  Contribution most;  // the most of these
  bool by_group;      // groups matter: for the bounds, or because units in them are counted
  WeightsToFind weights;
  // The most there can be, by public sizes: units; pairs of one and a group; bytes of texts among
  // both.
  double units, pairs, unit_texts, key_texts;
  SilentScan* counting;  // gives, of each row, its unit, then its keys, then what lists it is in
  int unit_columns;      // that tell units apart
  int columns;           // those of units and keys
  const Oid* type;       // each column's
};

// Stands for the share at work in calls of row_kept, instead of a number.
constexpr int kShareAtWork = -1;

// Lasts as long as the current memory context. PV002: units of a type that no hash tells apart.
SampledUnits* sampled_units(const UnitsToSample& asked);
int shares_of(const SampledUnits* units);  // NULL, where rows are not sampled: 1
// How many units have a row in the list which counts for less than 1; call after the scan.
int64 bounded_units(const SampledUnits* units, int list);

// Counts the rows of the units of this share, the next one, inside of the scan proper: before its
// first row of that share. The first one begins anew: units are drawn again. NULL: nothing to do.
void count_share(SampledUnits* units, int share);

// Counts how many rows each unit of this share, the next one, has, however many are sampled
// elsewhere: by a scan of its own, after which nothing is drawn.
void count_units(SampledUnits* units, int share, Callable<void(uint64 rows)> receive);

// count_share() where there is one share: where there are more, the scan proper asks for each.
struct RowMemory;
void count_only_share(const RowMemory* memory);
// What is counted from here on, of further rows, adds to bounded_units().
void go_on_counting(const RowMemory* memory);

}  // namespace dpmix::pg
