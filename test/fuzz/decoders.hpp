// What core reads that somebody else may have written: states as text, arguments and stored models
// as arrays of numbers, checkpoints as bytes. For libFuzzer (fuzz.cpp, `make fuzz`) and a unit
// test, which damages good ones.
//
// An input: the number of a decoder, then its bytes. Arrays of numbers are written with a byte for
// each small whole number, so that what is damaged is mostly an array still.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/accounting/block_code.hpp"
#include "core/accounting/decimal.hpp"
#include "core/base/error.hpp"
#include "core/input/cell_grid.hpp"
#include "core/input/cluster_frame.hpp"
#include "core/input/distance_bins.hpp"
#include "core/input/pair_shape.hpp"
#include "core/regression/logistic_frame.hpp"
#include "core/regression/model.hpp"
#include "core/stats/bin_counts.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/code_scores.hpp"
#include "core/stats/feature_sample.hpp"
#include "core/stats/lattice_squares.hpp"
#include "core/stats/marginal_tables.hpp"
#include "core/survival/model.hpp"
#include "core/tree_model/model.hpp"

namespace dpmix::test {

using Numbers = std::vector<double>;

constexpr int kSmallest = -8,
              kWritten = 255;  // a byte below is a whole number; it itself: eight bytes follow

inline std::string as_bytes(const Numbers& numbers) {
  std::string bytes;
  for (const double x : numbers) {
    if (x == std::floor(x) && x >= kSmallest && x < kSmallest + kWritten) {
      bytes.push_back(static_cast<char>(static_cast<int>(x) - kSmallest));
      continue;
    }
    bytes.push_back(static_cast<char>(kWritten));
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  return bytes;
}

inline Numbers as_numbers(std::string_view bytes) {
  Numbers numbers;
  while (!bytes.empty()) {
    const int first = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    double x = first + kSmallest;
    if (first == kWritten) {
      const std::size_t size = std::min(bytes.size(), sizeof x);
      std::memcpy(&x, bytes.data(), size);
      bytes.remove_prefix(size);
    }
    numbers.push_back(x);
  }
  return numbers;
}

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline bool same(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// Of what can be packed again: the same numbers. The others are only read.
template <class Value>
void read_numbers(std::string_view bytes) {
  const Numbers numbers = as_numbers(bytes);
  const Value value = Value::unpack(numbers);
  if constexpr (requires { value.pack(); })
    require(same(value.pack(), numbers), "packed otherwise");
}

inline void read_scores(std::string_view bytes) {
  const Numbers numbers = as_numbers(bytes);
  const CodeScores scores = CodeScores::unpack_front(numbers);
  const Numbers rest(numbers.begin() + static_cast<std::ptrdiff_t>(scores.pack().size()),
                     numbers.end());
  Numbers all = scores.pack();
  all.insert(all.end(), rest.begin(), rest.end());
  require(same(all, numbers), "packed otherwise");
}

// Their text is read again, and is one that stays.
template <class Value>
Value read_text(std::string_view text) {
  const std::optional<Value> value = Value::from_text(text);
  if (!value) throw Error(ErrorCode::invalid_parameter, "no state", "", "");
  const std::string again = value->to_text();
  const std::optional<Value> second = Value::from_text(again);
  require(second && second->to_text() == again, "written otherwise");
  return *value;
}

template <class Value>
void read_state(std::string_view text) {
  (void)read_text<Value>(text);
}

// As the states of aggregates: in words, where it can be added to itself.
template <class Rows, class State>
void read_words(std::string_view text) {
  const Rows rows = read_text<Rows>(text);
  if (rows.shape.blank()) return;
  std::vector<std::uint64_t> words(State::word_count(rows.shape));
  State::create(words.data(), rows.shape).assign(rows);
  const auto is_state = [&] { return State::shape_of(words.data(), words.size()).has_value(); };
  require(is_state(), "a state that is none");
  std::vector<std::uint64_t> copy = words;
  (void)State(words.data()).merge(State(copy.data()));
  require(is_state(), "a sum that is no state");
}

inline void read_decimal(std::string_view text) {
  const Decimal value = Decimal::parse(text);
  require(Decimal::parse(value.str()) == value, "written otherwise");
}

inline void read_blocks(std::string_view bytes) {
  const std::string again = encode(decode_block_sums(bytes));
  require(encode(decode_block_sums(again)) == again, "encoded otherwise");
}

struct Decoder {
  const char* name;
  void (*read)(std::string_view bytes);
  std::string good;
};

inline const std::vector<Decoder>& decoders() {
  const double half = .5;
  const Numbers frame = {1, 1, 2, 1, 100, 0, 0, 10, 10, 3, 5, 5, 1, half};
  const auto after_frame = [&](const Numbers& more) {
    Numbers all = frame;
    all.insert(all.end(), more.begin(), more.end());
    return as_bytes(all);
  };
  BlockSums blocks;
  blocks.add(std::vector<BlockCharge>{{{3, 9}, BlockSpending::up({})}});
  static const std::vector<Decoder> all = {
      {"tree", read_numbers<TreeModel>,
       as_bytes({2,    2, 5, 3, 0, 10, 0, 0, 0, 0, 1, 2, 5, 0, 1, 0, 1, 2,
                 half, 3, 2, 1, 2, 0,  0, 0, 2, 0, 0, 0, 2, 0, 1, 1, 1, 2,
                 3,    4, 1, 2, 1, 1,  0, 1, 1, 2, 1, 1, 0, 1, 2, 0})},
      {"regression", read_numbers<RegressionModel>,
       as_bytes({1,    9, 1, 0, 1, 0, 0, 0, 10, 0, 0, 1, 10, 1, 0, 1, half,
                 half, 1, 2, 3, 4, 5, 6, 7, 8,  1, 2, 3, 4,  5, 6, 7, 8})},
      {"survival", read_numbers<SurvivalModel>,
       as_bytes({1, 6, 1.5, 0, 2, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, half})},
      {"frame", read_numbers<MomentFrame>, after_frame({})},
      {"mixture", read_numbers<MixtureFrame>, after_frame({0, half, 1})},
      {"clusters", read_numbers<ClusterFrame>, after_frame({1, half, 1, 2})},
      {"grid", read_numbers<CellGrid>, after_frame({2, 3})},
      {"distances", read_numbers<DistanceBins>, after_frame({0, 2, 5})},
      {"sample argument", read_numbers<SampleFrame>, after_frame({3, 77})},
      {"logistic", read_numbers<LogisticFrame>, after_frame({3, -2})},
      {"design", read_numbers<Design>,
       as_bytes({0, 1, 0, 0, 0, 10, 0, 0, 1, 1, 0, 1, 3, 0, 1, 2, 0, 1, 0, 0, 2})},
      {"pairs", read_numbers<PairShape>, as_bytes({2, 1, 1, 0, 10, 2, -half, 2.5, 3})},
      {"tables", read_numbers<MarginalTables>,
       as_bytes({2, 2, 0, 2, 0, 1, 0, 1, 0, 2, 3, 0, 0, 1, 2, 0, 2, 1, 0, 1, 0, -1, 1})},
      {"scores", read_scores,
       as_bytes(CodeScores(2, {{{0, 1}, 0, {0, 1, 0, 2}}, {{}, 2, {0, 1, 1}}},
                           {{-1, half, 3, -2, .25, 2}, {0, 1, -3, 2.5}})
                    .pack())},
      {"sum", read_state<LatticeSum>, LatticeSum{}.to_text()},
      {"squares", read_state<LatticeSquares>, LatticeSquares{}.to_text()},
      {"counts", read_state<BinCounts>, "(2,3,a1){1,2,0,0,9,12}"},
      {"moments", read_words<MomentTotals, ClassMoments>, "(1,2,100,a1){3|10,-20|300,-100,500}"},
      {"sample", read_words<SampleRows, FeatureSample>,
       "(2,3,100,17,5,9223372036854775808){2|5|-7}"},
      {"decimal", read_decimal, "12.5e-3"},
      {"blocks", read_blocks, encode(blocks)},
  };
  return all;
}

// Refused, or read: whatever else happens is a mistake.
inline bool is_read(const Decoder& decoder, std::string_view bytes) {
  try {
    decoder.read(bytes);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace dpmix::test
