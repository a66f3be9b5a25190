#include "pg/query/answer/group_noise.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "core/base/poll.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/cube_noise.hpp"
#include "core/query/shared_draws.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"

namespace dpmix::pg {

struct GroupNoise {
  RandomStream* random;
  const QueryStatistics* statistics;
  int drawn;
  std::vector<std::optional<NoiseSampler>> sampler;  // of each statistic
  std::vector<SharedDraws> shared;                   // instead of some of these
  std::vector<bool> shares;                          // of each statistic, whether it is in them
};

GroupNoise* group_noise(const QueryStatistics* statistics, const StatisticNoise* noise, int drawn) {
  RandomStream* random = random_stream();
  return context_object<GroupNoise>([&] {
    const std::span<const StatisticNoise> all(noise, (std::size_t)statistics->count);
    std::unique_ptr<GroupNoise> begun(
        new GroupNoise{random, statistics, drawn, {}, shared_draws(all), {}});
    begun->shares.resize(all.size());
    for (const SharedDraws& shared : begun->shared) {
      begun->shares[(std::size_t)shared.rows()] = true;
      for (const auto& part : shared.parts()) begun->shares[(std::size_t)part.values] = true;
    }
    for (int i = 0; i < statistics->count; i++) {
      std::optional<NoiseSampler>& sampler = begun->sampler.emplace_back();
      if (noise[i].law.scale != 0) sampler.emplace(noise[i].law);
    }
    return begun.release();
  });
}

void stretch_noise(GroupNoise* group, const StatisticNoise* noise, double stretch) {
  guard([&] {
    for (std::size_t i = 0; i < group->sampler.size(); i++) {
      if (group->sampler[i]) group->sampler[i].emplace(stretched_law(noise[i].law, stretch));
    }
  });
}

void add_noise(GroupNoise* noise, Int128* cells) {
  guard([&] {
    Int128* const begin = cells;
    for (int i = 0; i < noise->statistics->count; i++) {
      poll();
      const std::optional<NoiseSampler>& sampler = noise->sampler[static_cast<std::size_t>(i)];
      for (int n = noise->statistics->statistic[i].cells; n > 0; n--, cells++) {
        if (i == noise->drawn || noise->shares[static_cast<std::size_t>(i)]) continue;
        *cells = sampler ? *cells + (*sampler)(*noise->random) : 0;
      }
    }
    const int* const first = noise->statistics->first;
    for (const SharedDraws& shared : noise->shared) {
      const std::vector<Int128> drawn = shared(*noise->random);
      const auto parts = shared.parts();
      for (std::size_t p = 0; p < parts.size(); p++) begin[first[parts[p].values]] += drawn[p];
      begin[first[shared.rows()]] += drawn.back();
    }
  });
}

}  // namespace dpmix::pg
