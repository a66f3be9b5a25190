#include "core/noise/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/base/poll.hpp"
#include "core/noise/gaussian/mixture_full_shift.hpp"
#include "core/noise/gaussian/mixture_worst_shift.hpp"
#include "core/noise/privacy_curve.hpp"

namespace dpmix {
namespace {

TEST(Calibration, TheExampleOfTheLiterature) {
  const Calibration c = calibrate(Family::multi_gaussian, 2, 0.01, 1, 10);
  EXPECT_NEAR(c.law.scale, 0.28693, 0.005 * 0.28693);
  EXPECT_LE(c.delta_certified, 0.01);
  EXPECT_TRUE(certify(c.law, 2, 0.01));
}

// Least scales computed once, independently, with scipy: sign changes by brentq, a scan of 24
// shifts refined around its peaks. Not certified.
struct Reference {
  double epsilon, delta;
  int components;
  double scale, expected_abs;
};
const std::vector<Reference> kReferences = {
    {2.0, 0.01, 3, 0.287811017, 0.448429408},  {2.0, 0.01, 10, 0.286926616, 0.450082934},
    {1.5, 0.02, 4, 0.297411731, 0.616155943},  {0.7, 0.001, 9, 0.372200549, 1.40674191},
    {3.0, 0.0001, 5, 0.27125593, 0.295724811}, {1.0, 0.05, 3, 0.305776689, 0.864130053},
    {4.0, 0.2, 2, 0.198342233, 0.189170845},   {5.0, 1e-6, 10, 0.236886569, 0.199954651},
};

TEST(Calibration, AgreesWithTheReferenceAndIsLeast) {
  for (const Reference& r : kReferences) {
    const Calibration c = calibrate(Family::multi_gaussian, r.epsilon, r.delta, 1, r.components);
    EXPECT_NEAR(c.law.scale / r.scale, 1, 1.2e-3) << r.epsilon << " " << r.delta;
    EXPECT_NEAR(expected_abs(c.law) / r.expected_abs, 1, 1.2e-3) << r.epsilon << " " << r.delta;
    EXPECT_LE(c.delta_certified, r.delta);
    NoiseLaw smaller = c.law;
    smaller.scale *= 0.998;
    EXPECT_FALSE(certify(smaller, r.epsilon, r.delta)) << r.epsilon << " " << r.delta;
  }
}

TEST(Calibration, IsLeastWithAnyNumberOfComponents) {
  struct Case {
    double epsilon, delta;
    int components;
  };
  for (const Case& c : {Case{2, 0.01, 1000}, Case{0.5, 1e-6, 28}, Case{0.5, 1e-6, 64},
                        Case{0.5, 1e-6, 200}, Case{0.05, 1e-8, 295}, Case{0.05, 1e-8, 1000},
                        Case{0.001, 0.001, 406}, Case{0.1, 1.6e-16, 340}, Case{15.9, 1e-15, 29},
                        Case{1, 1e-5, 100}, Case{0.02, 1e-4, 240}, Case{1e-6, 0.1, 1000}}) {
    NoiseLaw law = calibrate(Family::multi_gaussian, c.epsilon, c.delta, 1, c.components).law;
    EXPECT_TRUE(certify(law, c.epsilon, c.delta));
    // A smaller one is not only refused: at some shift it is proved to break delta.
    const UnitMixture smaller(0.998 * law.scale, law.components, law.weight_epsilon);
    const double worst = std::max(hockey_stick_full_shift(smaller, c.epsilon).lower,
                                  look_for_peak(smaller, c.epsilon, 0, 1e-3 * c.delta).delta);
    EXPECT_GT(worst, c.delta) << c.epsilon << " " << c.delta << " " << c.components;
  }
}

// About 60 to 150 ns each in an optimised build.
TEST(Calibration, TheWorkIsBounded) {
  static long polls;
  poll_hook = [] { ++polls; };
  const auto work = [](auto run) {
    polls = 0;
    run();
    return polls;
  };
  EXPECT_LT(work([] { calibrate(Family::multi_gaussian, 2, 0.01, 1, 10); }), 60'000);
  EXPECT_LT(work([] { calibrate(Family::multi_gaussian, 5, 1e-6, 1, 20); }), 60'000);
  struct Case {
    double epsilon, delta;
  };
  for (const Case& c :
       {Case{0.001, 0.001}, Case{0.0997, 1.643e-16}, Case{0.01925, 2.1e-10}, Case{15.88, 1.4e-15},
        Case{0.05, 1e-8}, Case{1e-6, 0.5}, Case{1e7, 1e-300}, Case{1e-6, 1e-300}}) {
    EXPECT_LT(work([&] { calibrate(Family::multi_gaussian, c.epsilon, c.delta, 1); }), 6'000'000)
        << c.epsilon << " " << c.delta;
  }
  const NoiseLaw close = calibrate(Family::multi_gaussian, 0.4675, 7.756e-8, 1, 436).law;
  EXPECT_LT(work([&] { delta_bound(close, 0.4675); }), 3'000'000);
  poll_hook = nullptr;
}

TEST(Calibration, NoScaleLeavesUncertified) {
  for (double epsilon : {1e-6, 0.3, 1.0, 5.0, 300.0, 1e7}) {
    for (double delta : {0.5, 1e-2, 1e-5, 1e-9, 1e-40}) {
      for (Family family : {Family::gaussian, Family::multi_gaussian, Family::laplace}) {
        const std::optional<int> components =
            family == Family::multi_gaussian ? std::optional(3) : std::nullopt;
        const Calibration c = calibrate(family, epsilon, delta, 2.5, components);
        EXPECT_LE(c.delta_certified, family == Family::laplace ? 0 : delta);
        EXPECT_TRUE(certify(c.law, epsilon, delta)) << name(family) << epsilon << " " << delta;
        // What the certificate claims holds on a scan of its own.
        for (int i = 1; i <= 8; ++i) {
          EXPECT_LE(delta_at(c.law, epsilon, 2.5 * i / 8), delta * (1 + 1e-7) + 1e-15)
              << name(family) << " " << epsilon << " " << delta;
        }
        if (family == Family::gaussian) {
          NoiseLaw smaller = c.law;
          smaller.scale *= 0.998;
          EXPECT_FALSE(certify(smaller, epsilon, delta));
        }
      }
    }
  }
}

TEST(Calibration, ComponentsAreChosenForTheLeastError) {
  // The table of the literature's settings: E|Z| at Delta = 1.
  struct Row {
    double epsilon, delta, expected_abs;
  };
  for (const Row& row : {Row{0.5, 1e-2, 1.82}, Row{1, 1e-2, 0.928}, Row{2, 1e-1, 0.417},
                         Row{2, 1e-2, 0.448}, Row{3, 1e-3, 0.294}, Row{5, 1e-1, 0.173},
                         Row{5, 1e-3, 0.196}, Row{1, 1e-5, 0.983}, Row{0.5, 1e-6, 1.998}}) {
    const Calibration c = calibrate(Family::multi_gaussian, row.epsilon, row.delta, 1);
    EXPECT_NEAR(expected_abs(c.law), row.expected_abs, 0.004 * row.expected_abs + 5e-4)
        << row.epsilon << " " << row.delta;
    for (int other : {std::max(1, c.law.components - 1), c.law.components + 2}) {
      EXPECT_GE(
          expected_abs(calibrate(Family::multi_gaussian, row.epsilon, row.delta, 1, other).law),
          expected_abs(c.law) * 0.999);
    }
  }
}

TEST(Calibration, IsMonotoneAndScalesWithTheSensitivity) {
  double last = HUGE_VAL;
  for (double epsilon : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    const double error = expected_abs(calibrate(Family::multi_gaussian, epsilon, 1e-3, 1, 12).law);
    EXPECT_LT(error, last);
    last = error;
  }
  const double one = calibrate(Family::multi_gaussian, 1, 1e-3, 1, 6).law.scale;
  for (double sensitivity : {1e-200, 3.0, 1e9, 1e200}) {
    const double scale = calibrate(Family::multi_gaussian, 1, 1e-3, sensitivity, 6).law.scale;
    EXPECT_NEAR(scale / sensitivity / one, 1, 1e-9);
  }
}

TEST(Calibration, LaplaceIsPureExactly) {
  for (double epsilon : {1e-6, 0.1, 0.3, 0.7, 3.0, 1e7}) {
    for (double sensitivity : {1e-300, 0.1, 1.0, 7.0, 1e200}) {
      const Calibration c = calibrate(Family::laplace, epsilon, 0, sensitivity);
      EXPECT_EQ(c.delta_certified, 0);
      EXPECT_NEAR(c.law.scale / (sensitivity / epsilon), 1, 1e-15);
      EXPECT_EQ(delta_bound(c.law, epsilon), 0);
    }
  }
}

TEST(Calibration, AsksForCancellationAllTheTime) {
  static int polls;
  polls = 0;
  poll_hook = [] {
    if (++polls == 1000) throw std::runtime_error("cancelled");
  };
  EXPECT_THROW(calibrate(Family::multi_gaussian, 1, 1e-4, 1), std::runtime_error);
  poll_hook = nullptr;
  EXPECT_EQ(polls, 1000);
}

void expect_refused(Family family, double epsilon, double delta, double sensitivity,
                    std::optional<int> components, const std::string& about) {
  try {
    calibrate(family, epsilon, delta, sensitivity, components);
    ADD_FAILURE() << "accepted: " << about;
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
    EXPECT_NE(error.message.find(about), std::string::npos) << error.message;
    EXPECT_FALSE(error.detail.empty());
    EXPECT_FALSE(error.hint.empty());
  }
}

TEST(Calibration, RefusesWhatIsOutOfRange) {
  const auto multi = Family::multi_gaussian, gaussian = Family::gaussian;
  for (double epsilon : {-1.0, 0.0, 9e-7, 1.1e7, HUGE_VAL, std::nan("")}) {
    expect_refused(gaussian, epsilon, 1e-6, 1, {}, "epsilon");
  }
  for (double delta : {-1e-9, 0.51, 1.0, std::nan("")}) {
    expect_refused(multi, 1, delta, 1, {}, "delta");
  }
  expect_refused(gaussian, 1, 0, 1, {}, "delta");
  expect_refused(multi, 1, 1e-301, 1, {}, "delta");
  for (double sensitivity : {0.0, -1.0, HUGE_VAL, std::nan(""), 1e-310}) {
    expect_refused(gaussian, 1, 1e-6, sensitivity, {}, "sensitivity");
  }
  expect_refused(multi, 1, 1e-6, 1, 0, "components");
  expect_refused(multi, 1, 1e-6, 1, 1001, "components");
  expect_refused(gaussian, 1, 1e-6, 1, 3, "components");
  expect_refused(gaussian, 1e-6, 1e-6, 1e305, {}, "scale");  // the noise overflows
}

}  // namespace
}  // namespace dpmix
