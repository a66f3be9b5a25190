#include "core/stats/bin_counts.hpp"

#include "core/input/moment_frame.hpp"
#include "core/stats/lattice_sum.hpp"
#include "core/stats/state_text.hpp"

namespace dpmix {
namespace {

// -1 when no rows can have made them.
std::int64_t rows_in(std::span<const std::int64_t> counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) {
    if (count < 0 || count > LatticeSum::max_count - sum) return -1;
    sum += count;
  }
  return sum;
}

// Told from the bits that occur in any of them, which costs half as much: counts are mostly small.
// 2^20 counts below 2^41, twice, are 2^62 rows at most.
bool are_small(std::span<const std::int64_t> counts) {
  std::int64_t bits = 0;
  for (const std::int64_t count : counts) bits |= count;
  return counts.size() <= static_cast<std::size_t>(BinCounts::max_counts) && bits >= 0 &&
         bits < std::int64_t{1} << 41;
}

}  // namespace

bool plausible_counts(std::span<const std::int64_t> counts) {
  return are_small(counts) || rows_in(counts) >= 0;
}

bool add_counts(std::span<std::int64_t> mine, std::span<const std::int64_t> theirs) {
  if (mine.size() != theirs.size()) return false;
  if (!are_small(mine) || !are_small(theirs)) {
    const std::int64_t here = rows_in(mine), there = rows_in(theirs);
    if (here < 0 || there < 0 || here > LatticeSum::max_count - there) return false;
  }
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += theirs[i];
  return true;
}

bool BinCounts::valid_size(int classes, int bins) {
  return classes >= 1 && classes <= MomentFrame::max_classes && bins >= 1 &&
         std::int64_t{classes} * bins <= max_counts;
}

bool BinCounts::plausible() const {
  return valid_size(classes, bins) &&
         counts.size() == static_cast<std::size_t>(classes) * static_cast<std::size_t>(bins) &&
         plausible_counts(counts);
}

std::string BinCounts::to_text() const {
  if (counts.empty()) return "()";
  std::string text =
      "(" + std::to_string(classes) + "," + std::to_string(bins) + "," + hex(frame) + "){";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(counts[i]);
  }
  return text + "}";
}

std::optional<BinCounts> BinCounts::from_text(std::string_view text) {
  BinCounts out;
  if (text == "()") return out;
  StateReader reader{text};
  reader.expect('(');
  reader.read(out.classes);
  reader.expect(',');
  reader.read(out.bins);
  reader.expect(',');
  reader.read(out.frame, 16);
  reader.expect(')');
  reader.expect('{');
  if (!reader.ok || !valid_size(out.classes, out.bins)) return std::nullopt;
  reader.read(out.counts,
              static_cast<std::size_t>(out.classes) * static_cast<std::size_t>(out.bins));
  reader.expect('}');
  if (!reader.done() || !out.plausible()) return std::nullopt;
  return out;
}

}  // namespace dpmix
