// The inner loop of class moments: a block of integer rows becomes exact sums and products.
//
// The arithmetic is in doubles, which are exact here: a term is at most 2^40 and a block has 32
// rows, so all partial sums are integers of at most 2^45 < 2^53, whatever their order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/int128.hpp"
#include "core/base/vectorize.hpp"

namespace dpmix {

constexpr std::size_t moment_block_rows = 32;

// A 128-bit integer as two 8-byte words, low first: palloc aligns to 8 bytes, __int128 wants 16.
inline Int128 load_wide(const std::uint64_t* words) {
  return static_cast<Int128>(static_cast<UInt128>(words[1]) << 64 | words[0]);
}
inline void store_wide(std::uint64_t* words, Int128 value) {
  words[0] = static_cast<std::uint64_t>(value);
  words[1] = static_cast<std::uint64_t>(static_cast<UInt128>(value) >> 64);
}

// rows * padded(d) integers of magnitude at most 2^20, row after row; d in 1..100, rows at most 32.
// Adds to d sums and d (d + 1) / 2 products (upper triangle, row by row), each two words.
void add_block(const std::int32_t* q, std::size_t rows, std::size_t d, std::uint64_t* sums,
               std::uint64_t* products);

}  // namespace dpmix
