// A picture of answers and their intervals, a row for each, as a standalone SVG document in ASCII.
// Post-processing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpmix {

struct IntervalRow {
  std::optional<std::string> label;  // UTF-8, or any bytes
  // Nothing, NaN and infinities are as good as any: what has no place has a gap.
  std::optional<double> answer, low, high;
  std::optional<double> inner_low = {}, inner_high = {};  // a part of the interval, drawn darker
  std::string words = {};  // in place of the answer's digits, where there is no answer
};

struct IntervalPicture {
  std::string title;  // UTF-8, or any bytes; empty: says what it is in general
  std::vector<IntervalRow> rows;
  std::int64_t rows_left = 0;   // of further rows, which are counted only
  std::string remark = {};      // below: what dots and bars are
  std::string noun = "answer";  // what a row is
};

std::string draw_intervals(const IntervalPicture& picture);

}  // namespace dpmix
