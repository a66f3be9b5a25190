#include "core/mixture/methods/method.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/methods/start.hpp"

namespace dpmix {
namespace {

constexpr GmmMethod kAll[] = {GmmMethod::staged, GmmMethod::one_shot, GmmMethod::label_only,
                              GmmMethod::em, GmmMethod::kmeans};

GmmRequest request_for(int classes, Adjacency adjacency) {
  GmmRequest request;
  request.lower = {0, -1};
  request.upper = {1, 3};
  request.classes = classes;
  request.adjacency = adjacency;
  request.mu = .5;
  return request;
}

TEST(GmmMechanism, NamesAreReadBack) {
  for (const GmmMethod method : kAll) EXPECT_EQ(gmm_method_of(name(method)), method);
  EXPECT_FALSE(gmm_method_of("STAGED"));
  EXPECT_FALSE(gmm_method_of(""));
}

TEST(GmmMechanism, MethodsFitOneShapeOfReleaseEach) {
  EXPECT_EQ(fitting_methods(3, Adjacency::add_remove), "staged, one_shot");
  EXPECT_EQ(fitting_methods(3, Adjacency::replace), "staged, one_shot");
  EXPECT_EQ(fitting_methods(3, Adjacency::label), "label_only");
  EXPECT_EQ(fitting_methods(0, Adjacency::add_remove), "em, kmeans");
  EXPECT_EQ(fitting_methods(0, Adjacency::label), "");
}

TEST(GmmMechanism, MethodsThatDoNotFitAreRefused) {
  for (const int classes : {0, 2}) {
    for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
      for (const GmmMethod method : kAll) {
        if (fits(method, classes, adjacency)) continue;
        GmmRequest request = request_for(classes, adjacency);
        request.method = method;
        try {
          start_gmm(request);
          FAIL() << name(method) << " with " << classes << " classes under " << name(adjacency);
        } catch (const Error& error) {
          EXPECT_EQ(error.code, ErrorCode::invalid_parameter);
          EXPECT_NE(error.message.find("does not fit"), std::string::npos);
          EXPECT_NE(error.detail.find(name(method)), std::string::npos);
        }
      }
    }
  }
}

TEST(GmmMechanism, TheBestIsStagedWithALabel) {
  const auto best = start_gmm(request_for(2, Adjacency::add_remove));
  EXPECT_EQ(best->method(), GmmMethod::staged);
  EXPECT_GT(best->count_stddev(), 0);
}

TEST(GmmMechanism, APassIsOfAKindThatWasAnnounced) {
  for (const GmmMethod method : {GmmMethod::staged, GmmMethod::one_shot}) {
    GmmRequest request = request_for(2, Adjacency::add_remove);
    request.method = method;
    const auto mechanism = start_gmm(request);
    const std::vector<PassKind> kinds = mechanism->kinds();
    RandomStream random(RandomStream::Key{});
    int passes = 0;
    while (const auto pass = mechanism->next()) {
      EXPECT_NE(std::find(kinds.begin(), kinds.end(), pass->kind), kinds.end());
      EXPECT_GT(pass->pack().size(), pass->extra.size());
      // No row at all.
      mechanism->take(random, pass->kind == PassKind::class_moments ? PassStatistics(MomentTotals())
                                                                    : PassStatistics(BinCounts()));
      ++passes;
    }
    EXPECT_GE(passes, 1);
    EXPECT_EQ(mechanism->fit(GmmObjective::balanced).mixture.components.size(), 2u);
  }
}

TEST(GmmMechanism, TheNoteNamesComponentsByNumberWhereThereAreNoLabels) {
  GmmFit fit;
  fit.quality = {ComponentQuality::usable, ComponentQuality::too_few_rows,
                 ComponentQuality::rough_covariance};
  EXPECT_EQ(quality_note(fit, {}),
            "too few rows for a mean: component 2; covariance mostly noise: component 3");
  EXPECT_EQ(quality_note(fit, {"a", "b", "c"}),
            "too few rows for a mean: b; covariance mostly noise: c");
  fit.hidden = {.1, 40, 3.14};
  EXPECT_EQ(
      quality_note(fit, {"a", "b", "c"}),
      "too few rows for a mean: b; covariance mostly noise (up to 3.1 times its variances): c");
}

}  // namespace
}  // namespace dpmix
