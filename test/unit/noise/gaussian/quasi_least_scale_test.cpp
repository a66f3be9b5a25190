
#include <gtest/gtest.h>

#include "core/noise/calibration.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/gaussian/quasi_curve.hpp"
#include "core/noise/gaussian/quasi_least_scale.hpp"
#include "core/noise/gaussian/quasi_worst_shift.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/published/quasi_scale.hpp"

namespace dpmix {
namespace {

// Scales found by an independent search in Python: root finding for the sign changes of the
// log-ratio, the worst of a scan of shifts, bisection to 1e-6.
struct Known {
  double epsilon, delta, scale;
};
constexpr Known kKnown[] = {{0.5, 0.1, 1.3353813571722433}, {2, 0.1, 0.39225383155289634},
                            {3, 1e-3, 0.9254208831265254},  {5, 0.1, 0.20346072642983107},
                            {8, 0.01, 0.193810191631669},   {2, 1e-5, 1.9318480904743796}};

TEST(LeastQuasi, AgreesWithKnownScales) {
  for (const Known& known : kKnown) {
    const LeastQuasi least = least_quasi(known.epsilon, known.delta);
    EXPECT_EQ(least.law.weight_epsilon, known.epsilon);
    EXPECT_NEAR(least.law.scale / known.scale, 1.0005, 0.0007) << known.epsilon;
    EXPECT_LE(least.delta_certified, known.delta);
    EXPECT_TRUE(quasi_certificate(least.law, known.epsilon, known.delta));
  }
}

// Validity is not proved to be an interval of scales: no smaller scale was overlooked.
TEST(LeastQuasi, NoSmallerScaleIsValid) {
  for (const double epsilon : {0.3, 2.0, 5.0, 8.0}) {
    for (const double delta : {0.3, 0.1, 1e-2, 1e-6}) {
      const double least = least_quasi(epsilon, delta).law.scale;
      for (double scale = least * 0.998; scale > least / 3; scale *= 0.97) {
        const ShiftCover cover = cover_quasi_shifts({scale, epsilon}, epsilon, delta);
        EXPECT_GT(cover.violation, 0) << epsilon << " " << delta << " " << scale / least;
        EXPECT_GT(quasi_delta_at({scale, epsilon}, epsilon, cover.violation), delta);
      }
    }
  }
}

TEST(LeastQuasi, CertifiesOverTheWholeRange) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 20.0, 1e2, 1e4, 1e7}) {
    double last = 0;
    for (const double delta : {0.5, 0.1, 1e-3, 1e-10, 1e-30, 1e-100, 1e-300}) {
      const LeastQuasi least = least_quasi(epsilon, delta);
      EXPECT_LE(least.delta_certified, delta) << epsilon << " " << delta;
      EXPECT_GE(least.law.scale, last * 0.999) << epsilon << " " << delta;
      EXPECT_GE(least.law.scale, 1e-5);
      EXPECT_LE(least.law.scale, 1e9);
      last = least.law.scale;
    }
  }
}

TEST(LeastQuasi, CalibrationCertifiesAtTheSensitivity) {
  for (const double sensitivity : {1e-300, 0.37, 5.0, 1e200}) {
    for (const double epsilon : {1.0, 5.0}) {
      const Calibration found = calibrate(Family::quasi_gaussian, epsilon, 0.03, sensitivity);
      EXPECT_TRUE(certify(found.law, epsilon, 0.03));
      EXPECT_LE(found.delta_certified, 0.03);
      EXPECT_GE(found.delta_certified, 0.0299);
    }
  }
}

// Where the full shift binds the published scale is the least one; where the range of the density
// binds it is too large, by at most 15%, and never invalid.
TEST(PublishedQuasi, IsExactOrTooLarge) {
  for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 5.0, 8.0}) {
    for (const double delta : {0.1, 1e-2, 1e-3, 1e-6}) {
      const double published = published_quasi_scale(epsilon, delta);
      const double least = least_quasi(epsilon, delta).law.scale;
      const bool full_shift_binds =
          quasi_delta_at({published, epsilon}, epsilon, 1) > 0.999 * delta;
      EXPECT_GE(published, least * 0.999) << epsilon << " " << delta;
      EXPECT_LE(published, least * (full_shift_binds ? 1.0001 : 1.15)) << epsilon << " " << delta;
      EXPECT_TRUE(quasi_certificate({published, epsilon}, epsilon, delta * 1.001));
    }
  }
  EXPECT_GT(published_quasi_scale(5, 0.1), 1.1 * least_quasi(5, 0.1).law.scale);
}

}  // namespace
}  // namespace dpmix
