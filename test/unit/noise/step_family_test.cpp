#include "core/noise/step_family.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/privacy_curve.hpp"

namespace dpmix {
namespace {

constexpr Family kFamiliesOfOneScale[] = {Family::staircase, Family::truncated_laplace,
                                          Family::tulap};

TEST(StepFamily, IsTheLawThatCalibrationFound) {
  for (Family family : kFamiliesOfOneScale) {
    for (double epsilon : {0.1, 0.5, 2.0, 8.0}) {
      const double delta = 1e-3, sensitivity = 8;
      const Calibration c = calibrate(family, epsilon, delta, sensitivity);
      const NoiseLaw law = step_family_law(family, c.law.scale, sensitivity, support(c.law));
      const std::string where = std::string(name(family)) + " " + std::to_string(epsilon);
      EXPECT_EQ(law.scale, c.law.scale) << where;
      EXPECT_EQ(law.steps.cutoff, c.law.steps.cutoff) << where;
      EXPECT_NEAR(expected_abs(law) / expected_abs(c.law), 1, 1e-5) << where;
      // The edge's weight, which the family's own parameters do not say, is all that may differ.
      EXPECT_NEAR(delta_bound(law, epsilon), c.delta_certified, 1e-3 * delta) << where;
    }
  }
}

TEST(StepFamily, CutsOffAtTheLastStepWithin) {
  const double step = 4 / kFineLattice;
  for (Family family : {Family::truncated_laplace, Family::tulap}) {
    EXPECT_EQ(support(step_family_law(family, 2, 4, 12)), 12);
    EXPECT_EQ(support(step_family_law(family, 2, 4, 12 + step / 2)), 12);
    EXPECT_EQ(support(step_family_law(family, 2, 4, 12 - step / 2)), 12 - step);
    EXPECT_EQ(support(step_family_law(family, 2, 4, HUGE_VAL)), HUGE_VAL);
  }
  EXPECT_EQ(support(step_family_law(Family::staircase, 2, 4, 12)), HUGE_VAL);
}

TEST(StepFamily, DeltaIsThatOfTheDefinition) {
  // Truncated Laplace at a full shift: the mass within a sensitivity of one end.
  const double fall = 1, cutoff = 5, lost = std::exp(-cutoff) * std::expm1(1);
  const double expected = lost / 2 / -std::expm1(-cutoff);
  const NoiseLaw law = step_family_law(Family::truncated_laplace, 1, 1, cutoff);
  EXPECT_NEAR(delta_bound(law, fall) / expected, 1, 1e-4);
  EXPECT_NEAR(delta_at(law, fall, 1) / expected, 1, 1e-4);
}

void expect_refused(Family family, double scale, double sensitivity, double cutoff,
                    const std::string& about) {
  try {
    step_family_law(family, scale, sensitivity, cutoff);
    ADD_FAILURE() << "accepted: " << name(family) << " " << about;
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_NE(error.message.find(about), std::string::npos) << error.message;
    EXPECT_NE(error.detail.find("must be"), std::string::npos) << error.detail;
  }
}

TEST(StepFamily, RefusesWhatIsOutOfRange) {
  for (Family family : kFamiliesOfOneScale) {
    for (double sensitivity : {0.0, -1.0, HUGE_VAL, std::nan(""), 1e-310}) {
      expect_refused(family, 1, sensitivity, 5, "sensitivity");
    }
    for (double scale : {0.0, -1.0, 0.9e-7, 1.1e6, HUGE_VAL, std::nan("")}) {
      expect_refused(family, scale, 1, 5, "scale");
    }
  }
  for (Family family : {Family::truncated_laplace, Family::tulap}) {
    for (double cutoff : {-1.0, -HUGE_VAL, 1e12, std::nan("")}) {
      expect_refused(family, 1, 1, cutoff, "cutoff");
    }
  }
  EXPECT_THROW(step_family_law(Family::optimal, 1, 1, 5), Error);
}

}  // namespace
}  // namespace dpmix
