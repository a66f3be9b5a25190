// Tables to make synthetic rows from and held-out rows to test on, for bench/synthetic/figures:
// real ones, generated ones, and images in files of the IDX format (as of MNIST) that the user has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tables/synthetic_measures.hpp"

namespace dpmix::test {

struct Task {
  LabelledTable records, held_out;
};

// Of the rows order[first .. end), in half widths of the bounds.
inline LabelledTable labelled(const Table& table, const std::vector<std::size_t>& order,
                              std::size_t first, std::size_t end) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(table.classes));
  for (std::size_t i = first; i < end; ++i) {
    ++counts[static_cast<std::size_t>(table.label[order[i]])];
  }
  LabelledTable part{table.features, {}};
  for (const std::int64_t count : counts) part.classes.emplace_back(table.features, count);
  for (std::size_t i = end; i-- > first;) {
    const auto k = static_cast<std::size_t>(table.label[order[i]]);
    const Eigen::Index column = --counts[k];
    for (Eigen::Index j = 0; j < table.features; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double low = table.lower[at], high = table.upper[at];
      part.classes[k](j, column) = (2 * table.row[order[i]][at] - low - high) / (high - low);
    }
  }
  return part;
}

inline Task split(const Table& table, std::size_t records, unsigned seed) {
  std::vector<std::size_t> order(table.row.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  return {clamped(labelled(table, order, 0, records)),
          clamped(labelled(table, order, records, order.size()))};
}

// Whether somebody earns at least 500 dollars a week, by years of education and experience.
inline Table cps_wages() {
  Table table{2, 2, {0, 0}, {20, 60}, {}, {}};
  std::ifstream file("test/data/cps1988.csv");
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    double number[3];
    for (double& x : number) {
      std::getline(cells, cell, ',');
      x = std::stod(cell);
    }
    table.label.push_back(number[0] >= 500);
    table.row.push_back({number[1], number[2]});
  }
  return table;
}

// Header: 0, 0, 8 (unsigned bytes), number of dimensions; each dimension; all big endian.
class IdxFile {
 public:
  explicit IdxFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    const std::uint32_t magic = word();
    if (magic >> 8 != 8) throw std::runtime_error(path + " is no IDX file of bytes");
    for (std::uint32_t i = 0; i < (magic & 255); ++i) sizes.push_back(word());
  }
  int byte() {
    const int c = file_.get();
    if (c < 0) throw std::runtime_error(path_ + " cannot be read, or is cut off");
    return c;
  }

  std::vector<std::size_t> sizes;

 private:
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint32_t>(byte());
    return value;
  }

  std::string path_;
  std::ifstream file_;
};

inline LabelledTable images(const std::string& folder, const std::string& which) {
  IdxFile pixels(folder + "/" + which + "-images-idx3-ubyte");
  IdxFile labels(folder + "/" + which + "-labels-idx1-ubyte");
  if (pixels.sizes.size() != 3 || labels.sizes.size() != 1 || pixels.sizes[0] != labels.sizes[0]) {
    throw std::runtime_error(folder + ": " + which + " has not as many labels as images");
  }
  const std::size_t d = pixels.sizes[1] * pixels.sizes[2];
  Table table{static_cast<int>(d),         10, std::vector<double>(d, 0),
              std::vector<double>(d, 255), {}, {}};
  for (std::size_t i = 0; i < pixels.sizes[0]; ++i) {
    table.label.push_back(labels.byte());
    if (table.label.back() > 9) throw std::runtime_error(folder + ": a label is not a digit");
    auto& row = table.row.emplace_back(d);
    for (double& x : row) x = pixels.byte();
  }
  std::vector<std::size_t> order(table.row.size());
  std::iota(order.begin(), order.end(), 0);
  return labelled(table, order, 0, order.size());
}

inline Task image_task(const std::string& folder) {
  return {images(folder, "train"), images(folder, "t10k")};
}

}  // namespace dpmix::test
