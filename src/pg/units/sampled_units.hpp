// The privacy units of a scan whose rows are sampled, while it runs.
//
// A scan that counts the rows of each unit goes before; how many of them count is drawn; then
// dpmix_internal.row_kept says of each row of the scan proper whether it is one. Where that takes
// more memory than dpmix.scan_memory, both scans are done once for each share of the units. Every
// share is counted, whether or not the scan proper has a row. docs/proofs/query_units.md.
#pragma once

#include "core/query/contribution.hpp"
#include "pg/scan/silent_scan.hpp"

namespace dpmix::pg {

struct SampledUnits;

struct UnitsToSample {
  Contribution most;
  bool by_group;         // groups matter: for the bounds, or because units in them are counted
  double rows, size;     // of the table that has the units, for everybody to see; bytes
  SilentScan* counting;  // gives, of each row, its unit and then its keys
  int unit_columns;      // that tell units apart
  int columns;           // that it gives
  const Oid* type;       // of each
};

// For row_kept, instead of a number.
constexpr int kShareAtWork = -1;

// Lasts as long as the current memory context. PV002: units of a type that no hash tells apart.
SampledUnits* sampled_units(const UnitsToSample& asked);
int shares_of(const SampledUnits* units);  // NULL, where rows are not sampled: 1

// Counts the rows of the units of this share, the next one, inside of the scan proper: before its
// first row of that share. The first one begins anew: units are drawn again. NULL: nothing to do.
void count_share(SampledUnits* units, int share);

// Of each unit of this share, the next one, how many rows it has, however many are sampled
// elsewhere: by a scan of its own, after which nothing is drawn.
void count_units(SampledUnits* units, int share, Callable<void(uint64 rows)> receive);

// count_share() where there is one share: where there are more, the scan proper asks for each.
struct RowMemory;
void count_only_share(const RowMemory* memory);

}  // namespace dpmix::pg
