#include "pg/query/answer/group_noise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/poll.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/box_noise.hpp"
#include "core/query/cube_noise.hpp"
#include "core/query/quantile_draw.hpp"
#include "core/query/shared_draws.hpp"
#include "core/random/noisy.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/replay.hpp"

namespace dpmix::pg {

struct GroupNoise {
  RandomStream* random;
  const QueryStatistics* statistics;
  int drawn;
  std::vector<std::optional<NoiseSampler>> sampler;  // of each statistic
  std::vector<SharedDraws> shared;                   // instead of some of these
  std::optional<BoxDraws> box;                       // likewise
  std::vector<bool> shares;                          // for each statistic, whether it is in these
  std::vector<int> fine_bits;                        // of each statistic
  std::vector<StatisticNoise> noise;                 // of each statistic
};

namespace {

// The law in the units of cells of weighed rows. Exact: they differ by a power of two.
NoiseLaw fine_law(const StatisticNoise& noise) {
  NoiseLaw law = noise.law;
  law.scale = std::ldexp(law.scale, noise.fine_bits);
  law.sensitivity = std::ldexp(law.sensitivity, noise.fine_bits);
  return law;
}

// A cell rounded to whole steps: post-processing, once the noise is there.
Int128 rounded(Int128 fine, int bits) {
  return bits == 0 ? fine : (fine + (Int128{1} << (bits - 1))) >> bits;
}

// Adds noise to cells that have it together.
template <class Law>
void add_together(GroupNoise* noise, const Law& law, const std::vector<Int128*>& cells) {
  DPMIX_REPLAY_HOOK(see_statistic(-1));
  std::vector<Int128> exact;
  for (const Int128* cell : cells) exact.push_back(*cell);
  const std::vector<Int128> sums = noisy(*noise->random, law, std::move(exact));
  for (std::size_t i = 0; i < cells.size(); i++) *cells[i] = sums[i];
}

// Draws quantiles, each from the exact counts of its column, all of which become 0 here.
void draw_cells(GroupNoise* of, Int128* group) {
  const QueryStatistics* statistics = of->statistics;
  for (int i = 0; i < statistics->count; i++) {
    const StatisticNoise& draw = of->noise[static_cast<std::size_t>(i)];
    if (statistics->counted[i] < 0 || draw.law.scale == 0) continue;
    poll();
    DPMIX_REPLAY_HOOK(see_statistic(i));
    const QueryStatistic& drawn = statistics->statistic[i];
    const std::span<const Int128> counts(group + statistics->counted[i],
                                         static_cast<std::size_t>(drawn.tree->cut.cells()));
    group[statistics->first[i]] =
        draw_quantile(*of->random, counts, exact_share(drawn.share), {draw.steps}, draw.range);
  }
  std::fill(group + released_cells(statistics), group + statistics->cells, Int128{0});
}

}  // namespace

GroupNoise* group_noise(const QueryStatistics* statistics, const StatisticNoise* noise, int drawn) {
  RandomStream* random = random_stream();
  return context_object<GroupNoise>([&] {
    std::vector<StatisticNoise> all(noise, noise + statistics->count);
    for (StatisticNoise& each : all) each.law = fine_law(each);
    std::unique_ptr<GroupNoise> begun(new GroupNoise{
        random, statistics, drawn, {}, shared_draws(all), box_draws(all), {}, {}, all});
    begun->shares.resize(all.size());
    for (const SharedDraws& shared : begun->shared) {
      begun->shares[(std::size_t)shared.rows()] = true;
      for (const auto& part : shared.parts()) begun->shares[(std::size_t)part.values] = true;
    }
    for (int i = 0; i < statistics->count; i++) {
      std::optional<NoiseSampler>& sampler = begun->sampler.emplace_back();
      if (is_in_box(all[static_cast<std::size_t>(i)])) {
        begun->shares[static_cast<std::size_t>(i)] = true;
      } else if (noise[i].law.scale != 0 && noise[i].range == 0)
        sampler.emplace(all[static_cast<std::size_t>(i)].law);
      begun->fine_bits.push_back(noise[i].fine_bits);
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
      DPMIX_REPLAY_HOOK(see_statistic(i));
      const std::optional<NoiseSampler>& sampler = noise->sampler[static_cast<std::size_t>(i)];
      for (int n = noise->statistics->statistic[i].cells; n > 0; n--, cells++) {
        if (i == noise->drawn || noise->shares[static_cast<std::size_t>(i)]) continue;
        *cells = sampler ? noisy(*noise->random, *sampler, *cells) : 0;
      }
    }
    const int* const first = noise->statistics->first;
    for (const SharedDraws& shared : noise->shared) {
      std::vector<Int128*> at;
      for (const auto& part : shared.parts()) at.push_back(begin + first[part.values]);
      at.push_back(begin + first[shared.rows()]);
      add_together(noise, shared, at);
    }
    if (noise->box) {
      std::vector<Int128*> at;
      for (const auto& part : noise->box->parts()) at.push_back(begin + first[part.statistic]);
      add_together(noise, *noise->box, at);
    }
    draw_cells(noise, begin);
    DPMIX_REPLAY_HOOK(see_statistic(-1));
    for (int i = 0; i < noise->statistics->count; i++) {
      const int bits = noise->fine_bits[static_cast<std::size_t>(i)];
      for (int n = 0; bits > 0 && n < noise->statistics->statistic[i].cells; n++) {
        begin[first[i] + n] = rounded(begin[first[i] + n], bits);
      }
    }
  });
}

}  // namespace dpmix::pg
