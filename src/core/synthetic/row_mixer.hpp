// Where records become synthetic rows: each the sum of a few random ones of its class, plus noise.
//
// Enters: coded records (core/input/record_code.hpp), one at a time in any order, or all of them at
// once. Leaves: synthetic rows in half widths of the bounds, 0 in the middle.
// Guaranteed: the law of the rows is that of docs/proofs/synthetic.md, whichever way the records
// come, and whatever their order, the blocks and the tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random/geometric.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/random/stream.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "core/synthetic/held_records.hpp"
#include "core/synthetic/row_sums.hpp"

namespace dpmix {

// The release's synthetic rows, a block of them at a time: memory is that of RowSums, whatever the
// number of records.
class RowMixer {
 public:
  // The first block: rows first to first + rows of the release.
  RowMixer(std::span<const MixedClass> classes, int coordinates, std::int64_t first,
           std::int64_t rows);
  void next_block(std::int64_t first, std::int64_t rows);

  // One record of class k joins each of the class's rows in this block independently.
  void add(RandomStream& random, int k, const std::int32_t* record);
  // The same for all records of all classes.
  void add_all(RandomStream& random, const HeldRecords& records);
  // Whether class k has rows in this block.
  bool takes(int k) const { return place_of(k).first < place_of(k).end; }
  // Row `row` of the release: its sum plus noise, over mix. Once per row.
  void finish(RandomStream& random, int k, std::int64_t row, double* half_widths);

 private:
  struct Samplers {
    std::optional<Geometric> gap;  // none where every record joins
    std::optional<RoundedNormal> noise;
  };
  struct Place {
    std::int64_t first, end;  // rows of a class in this block
  };

  Place place_of(int k) const;
  void add_class(RandomStream& random, int k, const HeldRecords& records);
  void join(std::int64_t row, std::span<const std::int32_t* const> records);

  std::span<const MixedClass> classes_;
  std::size_t coordinates_;
  std::int64_t first_, rows_;
  std::vector<Samplers> samplers_;  // by class; none for classes without rows
  RowSums sums_;
  std::vector<std::int64_t> next_;  // by row: the next record to join it
  std::vector<std::int64_t> sum_;   // of the row that is being finished
  std::size_t since_poll_ = 0;
};

}  // namespace dpmix
