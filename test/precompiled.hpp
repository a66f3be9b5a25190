// As src/precompiled.hpp, for tests of core.
#include <gtest/gtest.h>

#include <random>
