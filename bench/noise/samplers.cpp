// How many draws a second the samplers make on one core, each the best of several rounds.
//     make build/bench/noise/samplers && build/bench/noise/samplers
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "core/noise/sampler.hpp"
#include "core/random/bernoulli_exp.hpp"
#include "core/random/geometric.hpp"
#include "core/random/stream.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "core/synthetic/row_mixer.hpp"

namespace dpmix {
namespace {

// Short rounds, many of them: on a shared machine the best is one that nothing interrupted.
constexpr int rounds = 50;

volatile std::uint64_t kept;  // so that no draw is optimised away

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
double best_seconds(const Work& work) {
  double best = INFINITY;
  for (int i = 0; i < rounds; ++i) best = std::min(best, seconds_of(work));
  return best;
}

template <class Draw>
void report(const char* what, const Draw& draw) {
  constexpr int draws = 200'000;
  const double seconds = best_seconds([&] {
    std::uint64_t sum = 0;
    for (int i = 0; i < draws; ++i) sum += static_cast<std::uint64_t>(draw());
    kept = sum;
  });
  std::printf("%-44s %7.1f million/s %7.1f ns\n", what, draws / seconds / 1e6,
              seconds / draws * 1e9);
}

void report_law(const char* what, RandomStream& random, const NoiseLaw& law) {
  const NoiseSampler draw(law);
  report(what, [&] { return draw(random); });
}

// DP-CDA without the scan and the output: classes of 6000 held records of 784 features. `mixing` is
// the records' part, `noise` the rest.
void report_cda(RandomStream& random, int mix) {
  constexpr int classes = 2, records = 6000, features = 784, rows = 320;
  std::vector<MixedClass> mixed;
  HeldRecords held(classes, features, std::size_t{1} << 26);
  const std::vector<std::int32_t> record(features, 12345);
  for (int k = 0; k < classes; ++k) {
    const double exponent = -std::log1p(-static_cast<double>(mix) / records);
    mixed.push_back(
        {k * rows / classes, rows / classes, mix, exponent, -std::expm1(-exponent), 3e7});
    for (int i = 0; i < records; ++i) held.add(k, record.data());
  }
  std::vector<double> row(features);
  RowMixer mixer(mixed, features, 0, 1);
  double mixing = INFINITY, noise = INFINITY;
  for (int round = 0; round < rounds / 5; ++round) {
    double now = seconds_of([&] {
      for (int k = 0; k < classes; ++k) {
        mixer.next_block(k * rows / classes, rows / classes);
        mixer.add_all(random, held);
      }
    });
    mixing = std::min(mixing, now);
    now = seconds_of([&] {
      for (int t = rows / 2; t < rows; ++t) {
        mixer.finish(random, 1, t, row.data());
        kept = static_cast<std::uint64_t>(std::abs(row[0]));
      }
    });
    noise = std::min(noise, 2 * now);
  }
  std::printf("DP-CDA, d = 784, l = %-3d %8.0f rows/s: mixing %6.2f us, noise %6.2f us a row\n",
              mix, rows / (mixing + noise), mixing / rows * 1e6, noise / rows * 1e6);
}

void run() {
  RandomStream random({1});
  report("random words", [&] { return random.next64(); });
  report("construction of a stream and one word", [] { return RandomStream({2}).next64(); });
  report_law("gaussian, sigma .4", random, {.scale = .4});
  report_law("gaussian, sigma 3", random, {.scale = 3});
  report_law("gaussian, sigma 2^10", random, {.scale = 0x1p10});
  report_law("gaussian, sigma 2^40", random, {.scale = 0x1p40});
  report_law("gaussian, sigma 2^70", random, {.scale = 0x1p70});
  report("gaussian, sigma 3, one at a time", [&] { return NoiseSampler({.scale = 3})(random); });
  report_law("multi_gaussian, K 10, weight epsilon 1", random,
             {Family::multi_gaussian, 1, .358, 10, 1});
  report_law("multi_gaussian, K 20, weight epsilon .5", random,
             {Family::multi_gaussian, 1, 3.39, 20, .5});
  report_law("laplace, scale 1", random, {.family = Family::laplace, .scale = 1});
  report_law("laplace, scale 2^10", random, {.family = Family::laplace, .scale = 0x1p10});
  report_law("laplace, scale 2^40", random, {.family = Family::laplace, .scale = 0x1p40});
  const Geometric gap({4. / 600});
  report("geometric gap, rate 4/600", [&] { return gap(random); });
  report("coin of e^-.5", [&] { return bernoulli_exp(random, {.5}); });
  for (const int mix : {4, 64, 512}) report_cda(random, mix);
}

}  // namespace
}  // namespace dpmix

int main() {
  dpmix::run();
}
