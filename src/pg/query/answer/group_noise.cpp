#include "pg/query/answer/group_noise.hpp"

#include <memory>
#include <vector>

#include "core/base/poll.hpp"
#include "core/noise/sampler.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"

namespace dpmix::pg {

struct GroupNoise {
  RandomStream* random;
  const QueryStatistics* statistics;
  std::vector<NoiseSampler> sampler;  // of each statistic
};

GroupNoise* group_noise(const QueryStatistics* statistics, const StatisticNoise* noise) {
  RandomStream* random = random_stream();
  return context_object<GroupNoise>([&] {
    std::unique_ptr<GroupNoise> begun(new GroupNoise{random, statistics, {}});
    for (int i = 0; i < statistics->count; i++) begun->sampler.emplace_back(noise[i].law);
    return begun.release();
  });
}

void add_noise(GroupNoise* noise, Int128* cells) {
  guard([&] {
    for (int i = 0; i < noise->statistics->count; i++) {
      poll();
      const NoiseSampler& sampler = noise->sampler[static_cast<std::size_t>(i)];
      for (int n = noise->statistics->statistic[i].cells; n > 0; n--) {
        *cells++ += sampler(*noise->random);
      }
    }
  });
}

}  // namespace dpmix::pg
