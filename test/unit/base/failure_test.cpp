// For test/checks/failures.sh: what fails is counted as failed.
#include <gtest/gtest.h>

#include <cstdlib>

namespace dpmix::test {
namespace {

TEST(Failure, Passes) {}

TEST(Failure, DISABLED_Fails) {
  FAIL();
}

TEST(FailureByCrash, DISABLED_Crashes) {
  std::abort();
}

}  // namespace
}  // namespace dpmix::test
