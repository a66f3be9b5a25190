// libFuzzer over the decoders of core: `make fuzz` (test/fuzz/fuzz.mk). It begins by writing good
// inputs to the folder that the environment variable DPMIX_CORPUS names.
#include <cstdlib>
#include <fstream>

#include "fuzz/decoders.hpp"

using namespace dpmix::test;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("DPMIX_CORPUS");
  for (std::size_t i = 0; folder != nullptr && i < decoders().size(); i++) {
    std::ofstream(std::string(folder) + "/good." + std::to_string(i), std::ios::binary)
        << static_cast<char>(i) << decoders()[i].good;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] >= decoders().size()) return -1;  // not kept
  (void)is_read(decoders()[data[0]], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
