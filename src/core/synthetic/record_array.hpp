// How coordinates of records lie in memory, one record after the other: long ones each on cache
// lines of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace dpmix {

struct RecordArray {
  static constexpr std::size_t line = 64;

  static std::size_t stride(std::size_t coordinates) {
    constexpr std::size_t of_line = line / sizeof(std::int32_t);
    return coordinates < 8 * of_line ? coordinates
                                     : (coordinates + of_line - 1) / of_line * of_line;
  }

  struct Free {
    void operator()(std::int32_t* x) const { ::operator delete[](x, std::align_val_t{line}); }
  };
  using Memory = std::unique_ptr<std::int32_t[], Free>;
  static Memory allocate(std::size_t coordinates) {  // not set to anything
    return Memory(static_cast<std::int32_t*>(
        ::operator new[](coordinates * sizeof(std::int32_t), std::align_val_t{line})));
  }
};

}  // namespace dpmix
