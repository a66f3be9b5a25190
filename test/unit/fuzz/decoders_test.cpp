#include "fuzz/decoders.hpp"

#include <gtest/gtest.h>

#include <random>

namespace dpmix::test {
namespace {

// As libFuzzer damages them, but for what it learns: `make fuzz` goes on for as long as one likes.
std::string damaged(std::mt19937_64& random, std::string bytes) {
  for (int times = 1 + static_cast<int>(random() % 4); times > 0; times--) {
    const std::size_t at = random() % (bytes.size() + 1), count = random() % 5;
    switch (random() % 5) {
      case 0:
        bytes.erase(at, count);
        break;
      case 1:
        bytes.insert(at, bytes.substr(random() % (bytes.size() + 1), count));
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
  }
  return bytes;
}

TEST(Decoders, ReadWhatIsGoodAndRefuseOrReadWhatIsDamaged) {
  std::mt19937_64 random(1);
  for (const Decoder& decoder : decoders()) {
    ASSERT_TRUE(is_read(decoder, decoder.good)) << decoder.name;
    int read = 0;
    for (int i = 0; i < 2000; i++) {
      const std::string bytes = damaged(random, decoder.good);
      try {
        read += is_read(decoder, bytes);
      } catch (const std::exception& mistake) {
        FAIL() << decoder.name << ": " << mistake.what() << " (" << i << ")";
      }
    }
    EXPECT_LT(read, 2000) << decoder.name << ": whatever comes is read";
  }
}

}  // namespace
}  // namespace dpmix::test
