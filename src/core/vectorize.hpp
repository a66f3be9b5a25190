// One source, several instruction sets: the loader picks the widest that the processor has.
//
// Results do not depend on the choice: Lanes always has eight lanes, whatever the register width,
// and products and sums are never contracted (-ffp-contract=off).
#pragma once

#include <cstddef>

// Sanitizers instrument the resolvers, which run before their runtime is ready.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define DPMIX_VECTORIZE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DPMIX_VECTORIZE
#endif

namespace dpmix {

constexpr std::size_t lanes = 8;
// Aligned like a double: palloc promises no more.
using Lanes = double __attribute__((vector_size(64), aligned(8), may_alias));

constexpr std::size_t padded(std::size_t size) { return (size + lanes - 1) / lanes * lanes; }

}  // namespace dpmix
