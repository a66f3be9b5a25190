// A record as integers of bounded Euclidean norm: what DP-CDA mixes.
//
// Enters: a record's feature values: numbers with public bounds, numbers of declared categories.
// Leaves: coordinates on a lattice, in steps of half a feature's width / half_steps. A number has
// one coordinate, from -half_steps to half_steps; C categories have C: the vertices of a regular
// simplex about 0, of half_steps from 0 like a bound. Records longer than the clip are shortened.
// Guaranteed: every coded record has a norm of at most norm() steps, in integers, whatever the
// values were (docs/proofs/synthetic_records.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/input/lattice.hpp"

namespace dpmix {

// Steps from the middle of a feature's bounds to either bound.
constexpr std::int64_t half_steps = 1 << 20;

// A feature with few values, among the coordinates: of a record that has value c, coordinate
// first + c is at `high` and the others at `low`, in half widths. size 1 is a boolean: high for
// true.
struct Choice {
  int first, size;
  double low, high;  // low < high
};

class RecordCode {
 public:
  static constexpr int most_coordinates = 4096;

  // clip: largest norm of a record as a share of sqrt(features) half widths. Throws Error PV005
  // unless it lies above 0 and is at most 1.
  explicit RecordCode(double clip = 1);
  // Features, in the order of a record's values.
  void add_number(double lower, double upper);
  void add_boolean();              // a number, 0 or 1
  void add_categories(int count);  // >= 1
  void check() const;              // throws Error PV005 when coordinates are too many

  int features() const { return static_cast<int>(features_.size()); }
  int numbers() const { return features() - groups_; }
  int groups() const { return groups_; }  // features of categories
  int coordinates() const { return coordinates_; }
  // Those of two values or more.
  std::span<const Choice> choices() const { return choices_; }
  double norm() const { return static_cast<double>(limit_); }  // a whole number of steps

  // values: of all features; of categories, their number from 0. False: the record is not complete
  // (NaN, no category's number), and `record` is void.
  bool encode(std::span<const double> values, std::int32_t* record) const;
  // The numbers, clamped to the bounds, and the categories whose vertices are nearest, the first of
  // equals, from a record in half widths; each in the order of its features.
  void decode(const double* half_widths, double* numbers, int* categories) const;

 private:
  struct Feature {
    int first;       // coordinate
    int categories;  // 0: a number
    Lattice lattice;
    LatticePlacer placer;
    std::int32_t low, high;  // coordinates of a category, in steps
  };
  void add(const Feature& feature, int coordinates);
  void shorten(std::int32_t* record, std::int64_t squares) const;

  double clip_;
  std::vector<Feature> features_;
  std::vector<Choice> choices_;
  int groups_ = 0, coordinates_ = 0;
  std::int64_t limit_ = 0;
};

}  // namespace dpmix
