// The baselines: honest sensitivities where they claim privacy, valid models whatever the rows,
// marks and refusals.
#include "core/published/baselines.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/input/moment_frame_placer.hpp"
#include "core/mixture/divergence.hpp"
#include "core/mixture/fit/moments.hpp"
#include "tables/mixture_valid.hpp"
#include "tables/published_rows.hpp"

namespace dpmix::test {
namespace {

constexpr PublishedMethod all[] = {
    PublishedMethod::published,         PublishedMethod::record,
    PublishedMethod::iid_laplace,       PublishedMethod::iid_gaussian,
    PublishedMethod::coloured_gaussian, PublishedMethod::r1smg};

PublishedRequest request_for(PublishedMethod method, const Table& table) {
  PublishedRequest request;
  request.method = method;
  request.epsilon = 1;
  request.delta = 1e-5;
  if (method == PublishedMethod::record) request.clip = 10;
  request.lower = table.lower;
  request.upper = table.upper;
  return request;
}

TEST(PublishedBaselines, NamesAndMarks) {
  std::mt19937_64 random(1);
  const Table table = simulated_table(random, 3, 3, 200);
  RandomStream stream(key_of(1));
  for (const PublishedMethod method : all) {
    EXPECT_EQ(published_method_of(name(method)), method);
    const PublishedRelease out =
        release_published(stream, labelled_rows(table), request_for(method, table));
    const bool honest =
        method == PublishedMethod::iid_laplace || method == PublishedMethod::iid_gaussian;
    EXPECT_EQ(out.is_private, honest);
    EXPECT_EQ(out.note.starts_with("NOT PRIVATE"), !honest);
  }
  EXPECT_FALSE(published_method_of("staged"));
}

// The very integers that are summed: no row above the bound, the corners within 1% of it.
TEST(PublishedBaselines, SensitivitiesAreThoseOfRows) {
  std::mt19937_64 random(2);
  for (const int d : {1, 2, 3, 7}) {
    for (const double scale : {1e-6, 1., 1e9}) {
      Table table{d, 1, {}, {}, {}, {}};
      for (int i = 0; i < d; ++i) {
        table.lower.push_back(scale * (i - 3.3));
        table.upper.push_back(scale * (i + 1.7 * i + .1));
      }
      const MomentFrame box = box_frame(table.lower, table.upper, 1);
      const IidSensitivity bound = iid_sensitivity(box);
      std::vector<double> memory(FramePlacer::memory_size(box));
      const FramePlacer placer(box, memory.data());
      std::vector<std::int32_t> q(FramePlacer::max_row);
      double most[4] = {};
      for (int n = 0; n < 2000; ++n) {
        if (!placer.place(0, awkward_row(random, table).data(), q.data())) continue;
        long double moved[4] = {};
        for (int i = 0; i < d; ++i) {
          const long double a = q[static_cast<std::size_t>(i)];
          moved[0] += std::abs(a);
          moved[2] += a * a;
          for (int j = i; j < d; ++j) {
            const long double product = a * q[static_cast<std::size_t>(j)];
            moved[1] += std::abs(product);
            moved[3] += product * product;
          }
        }
        EXPECT_LE(moved[0], bound.sum_l1);
        EXPECT_LE(moved[1], bound.product_l1);
        EXPECT_LE(std::sqrt(moved[2]), bound.sum_l2);
        EXPECT_LE(std::sqrt(moved[3]), bound.product_l2);
        most[0] = std::max(most[0], static_cast<double>(moved[0]));
        most[1] = std::max(most[1], static_cast<double>(moved[1]));
        most[2] = std::max(most[2], static_cast<double>(std::sqrt(moved[2])));
        most[3] = std::max(most[3], static_cast<double>(std::sqrt(moved[3])));
      }
      EXPECT_GE(most[0], .99 * static_cast<double>(bound.sum_l1));
      EXPECT_GE(most[1], .99 * static_cast<double>(bound.product_l1));
      EXPECT_GE(most[2], .99 * bound.sum_l2);
      EXPECT_GE(most[3], .99 * bound.product_l2);
    }
  }
}

// No rows, one row, one class only, constant ones, missing ones: the honest baselines never refuse.
TEST(PublishedBaselines, HonestOnesTakeAnyRows) {
  std::mt19937_64 random(3);
  RandomStream stream(key_of(3));
  for (int trial = 0; trial < 60; ++trial) {
    Table table = simulated_table(random, 2, 3, 20);
    table.row.resize(static_cast<std::size_t>(trial % 20));
    table.label.resize(table.row.size());
    for (auto& x : table.row) {
      if (trial % 3 == 1) x = awkward_row(random, table);
      if (trial % 3 == 2) x = {1, 1, 1};
    }
    for (const PublishedMethod method :
         {PublishedMethod::iid_laplace, PublishedMethod::iid_gaussian}) {
      PublishedRequest request = request_for(method, table);
      request.epsilon = trial % 2 ? .01 : 10;
      expect_valid(release_published(stream, labelled_rows(table), request).mixture, table);
    }
  }
}

// With next to no noise all but the published covariances are the plain fit.
TEST(PublishedBaselines, ConvergeToTheFit) {
  const Table table = iris();
  RandomStream stream(key_of(4));
  const GaussianMixture fit = plain_fit(table);
  for (const PublishedMethod method : {PublishedMethod::iid_laplace, PublishedMethod::iid_gaussian,
                                       PublishedMethod::coloured_gaussian}) {
    PublishedRequest request = request_for(method, table);
    request.epsilon = 1e6;
    const auto released = release_published(stream, labelled_rows(table), request).mixture;
    EXPECT_LT(gmm_kl(released, fit, {0, 1, 2}), 2e-3) << name(method);
  }
}

// E |noise|^2 is the published variance.
TEST(PublishedBaselines, RankOneNoiseAsPublished) {
  RandomStream stream(key_of(5));
  constexpr int draws = 20000;
  double square = 0;
  for (int n = 0; n < draws; ++n)
    square += r1smg_noise(stream, 4, 2, 1, 1e-3).squaredNorm() / draws;
  // psi = delta Gamma(3/2) / (sqrt(pi) Gamma(2)) = delta / 2 at M = 4; 2 Delta^2 / (epsilon psi).
  EXPECT_NEAR(square / (2 * 4 / (1e-3 / 2)), 1, .08);
}

TEST(PublishedBaselines, Refuses) {
  std::mt19937_64 random(6);
  RandomStream stream(key_of(6));
  const Table table = simulated_table(random, 3, 2, 100);
  const LabelledRows rows = labelled_rows(table);
  EXPECT_THROW(release_published(stream, rows, request_for(PublishedMethod::r1smg, table)), Error);
  for (const double clip : {0., -1., HUGE_VAL, double(NAN)}) {
    PublishedRequest request = request_for(PublishedMethod::record, table);
    request.clip = clip;
    EXPECT_THROW(release_published(stream, rows, request), Error);
    request.clip.reset();
    EXPECT_THROW(release_published(stream, rows, request), Error);
  }
  PublishedRequest request = request_for(PublishedMethod::published, table);
  request.clip = 1;
  EXPECT_THROW(release_published(stream, rows, request), Error);
}

}  // namespace
}  // namespace dpmix::test
