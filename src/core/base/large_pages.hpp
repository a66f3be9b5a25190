// Memory for tables that are looked up at random: in large pages, where the system has them, or
// most lookups would wait for the place of a page besides that of a value.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace dpmix {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

inline void* allocate_pages(std::size_t bytes) {
  if (bytes < kLargePage) {
    if (void* made = std::malloc(bytes)) return made;
    throw std::bad_alloc();
  }
  bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* made = std::aligned_alloc(kLargePage, bytes);
  if (made == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  (void)madvise(made, bytes, MADV_HUGEPAGE);
#endif
  return made;
}

template <class T>
struct LargePages {  // of std::vector
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_pages(n * sizeof(T))); }
  void deallocate(T* made, std::size_t) { std::free(made); }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace dpmix
