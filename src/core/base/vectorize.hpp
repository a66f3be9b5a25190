// One source, several instruction sets: the loader picks the widest that the processor has.
//
// Results do not depend on the choice: Lanes always has eight lanes, whatever the register width,
// and products and sums are never contracted (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>

// Sanitizers instrument the resolvers, which run before their runtime is ready.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define DPMIX_VECTORIZE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DPMIX_VECTORIZE
#endif

// What a DPMIX_VECTORIZE function calls must become part of it, or stays with the baseline's set.
#define DPMIX_INLINE inline __attribute__((always_inline))

namespace dpmix {

constexpr std::size_t lanes = 8;
// Aligned like their elements: palloc promises no more.
using Lanes = double __attribute__((vector_size(64), aligned(8), may_alias));
using IntLanes = std::int32_t __attribute__((vector_size(32), aligned(4), may_alias));

// Arrays that are read by lanes have a length that is a multiple of them, the rest zero.
constexpr std::size_t padded(std::size_t size) {
  return (size + lanes - 1) / lanes * lanes;
}

DPMIX_INLINE Lanes& lanes_at(double* x) {
  return *reinterpret_cast<Lanes*>(x);
}
DPMIX_INLINE const Lanes& lanes_at(const double* x) {
  return *reinterpret_cast<const Lanes*>(x);
}
DPMIX_INLINE IntLanes& lanes_at(std::int32_t* x) {
  return *reinterpret_cast<IntLanes*>(x);
}
DPMIX_INLINE const IntLanes& lanes_at(const std::int32_t* x) {
  return *reinterpret_cast<const IntLanes*>(x);
}

}  // namespace dpmix
