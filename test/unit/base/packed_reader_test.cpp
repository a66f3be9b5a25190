#include "core/base/packed_reader.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace dpmix {
namespace {

constexpr PackedReader::Refusal refusal = {"invalid", "detail", "hint"};

TEST(PackedReader, ReadsFromTheFront) {
  const std::vector<double> numbers = {2.5, -1, 3, 7, 8, 9, .5, .25};
  PackedReader read(numbers, refusal);
  EXPECT_EQ(read.number(), 2.5);
  EXPECT_EQ(read.whole(-1, 3), -1);
  EXPECT_EQ(read.count(3), 3U);
  EXPECT_EQ(read.wholes(3, 7, 9), (std::vector<int>{7, 8, 9}));
  EXPECT_THROW(read.end(), Error);
  EXPECT_EQ(read.numbers(2), (std::vector<double>{.5, .25}));
  read.end();
  EXPECT_THROW(read.number(), Error);
}

TEST(PackedReader, RefusesWhatIsNotThereBeforeItAllocates) {
  const std::vector<double> numbers = {1, 2};
  PackedReader read(numbers, refusal);
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 8;
  EXPECT_THROW(read.numbers(huge), Error);
  EXPECT_THROW(read.wholes(huge, 0, 9), Error);
  EXPECT_EQ(read.numbers(2), numbers);
}

TEST(PackedReader, WholeNumbersAreWholeAndInRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {.5, -1., 4., std::nan(""), infinity, -infinity, 1e300}) {
    PackedReader read({&bad, 1}, refusal);
    EXPECT_THROW(read.whole(0, 3), Error) << bad;
  }
  const double zero = -0.;
  EXPECT_EQ(PackedReader({&zero, 1}, refusal).whole(0, 3), 0);
}

TEST(PackedReader, RefusesInTheWordsOfItsUser) {
  try {
    PackedReader({}, refusal).number();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_STREQ(error.what(), "invalid");
  }
}

}  // namespace
}  // namespace dpmix
