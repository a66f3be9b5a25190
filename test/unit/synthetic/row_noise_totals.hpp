// Costs of synthetic rows between two bounds, as printed by bench/synthetic/row_epsilon.py, which
// shares nothing with core/accounting.
#pragma once

#include "core/synthetic/dominating_pairs.hpp"

namespace dpmix::test {

struct CdaTotal {
  MixedRows rows;
  double epsilon, below, above;  // delta there is between below and above
};

// clang-format off
inline constexpr CdaTotal kCdaTotals[] = {
    {{6000, 1, 6000, 1, 0.331, Adjacency::add_remove, CdaSampler::poisson}, 9.2325, 9.38737877e-06, 9.3881853e-06},
    {{6000, 1, 6000, 1, 0.331, Adjacency::replace, CdaSampler::poisson}, 9.35375, 9.403530725e-06, 9.404778906e-06},
    {{6000, 1, 6000, 1, 0.661, Adjacency::add_remove, CdaSampler::without_replacement}, 9.2825, 9.389505362e-06, 9.390313239e-06},
    {{6000, 1, 6000, 1, 0.661, Adjacency::replace, CdaSampler::without_replacement}, 9.405, 9.396125183e-06, 9.396947948e-06},
    {{6000, 2, 6000, 1, 0.242, Adjacency::add_remove, CdaSampler::poisson}, 3.07188, 6.356190043e-06, 6.356623188e-06},
    {{6000, 2, 6000, 1, 0.242, Adjacency::replace, CdaSampler::poisson}, 3.13125, 6.279046246e-06, 6.279637302e-06},
    {{6000, 2, 6000, 1, 0.485, Adjacency::add_remove, CdaSampler::without_replacement}, 3.04937, 6.280594781e-06, 6.281022476e-06},
    {{6000, 2, 6000, 1, 0.485, Adjacency::replace, CdaSampler::without_replacement}, 3.10563, 6.205862169e-06, 6.206292473e-06},
    {{6000, 4, 6000, 1, 0.0971, Adjacency::add_remove, CdaSampler::poisson}, 9.6975, 9.595181389e-06, 9.596130001e-06},
    {{6000, 4, 6000, 1, 0.0971, Adjacency::replace, CdaSampler::poisson}, 10.1212, 9.606131384e-06, 9.607561355e-06},
    {{6000, 4, 6000, 1, 0.194, Adjacency::add_remove, CdaSampler::without_replacement}, 9.735, 9.610356614e-06, 9.611307573e-06},
    {{6000, 4, 6000, 1, 0.194, Adjacency::replace, CdaSampler::without_replacement}, 10.155, 9.606599339e-06, 9.607591619e-06},
    {{6000, 8, 6000, 1, 0.0918, Adjacency::add_remove, CdaSampler::poisson}, 1.38625, 1.728925656e-06, 1.729055882e-06},
    {{6000, 8, 6000, 1, 0.0918, Adjacency::replace, CdaSampler::poisson}, 1.6225, 2.775602644e-06, 2.775871765e-06},
    {{6000, 8, 6000, 1, 0.184, Adjacency::add_remove, CdaSampler::without_replacement}, 1.37688, 1.692769119e-06, 1.692896741e-06},
    {{6000, 8, 6000, 1, 0.184, Adjacency::replace, CdaSampler::without_replacement}, 1.55063, 2.256439074e-06, 2.256623779e-06},
    {{6000, 16, 6000, 1, 0.0308, Adjacency::add_remove, CdaSampler::poisson}, 9.7775, 9.809024238e-06, 9.810128429e-06},
    {{6000, 16, 6000, 1, 0.0308, Adjacency::replace, CdaSampler::poisson}, 11.2, 9.835825933e-06, 9.837444706e-06},
    {{6000, 16, 6000, 1, 0.0615, Adjacency::add_remove, CdaSampler::without_replacement}, 9.83875, 9.810456263e-06, 9.811562303e-06},
    {{6000, 16, 6000, 1, 0.0615, Adjacency::replace, CdaSampler::without_replacement}, 11.1675, 9.82302117e-06, 9.824227713e-06},
    {{6000, 32, 6000, 1, 0.0554, Adjacency::add_remove, CdaSampler::poisson}, 0.953125, 1.001686279e-05, 1.001723453e-05},
    {{6000, 32, 6000, 1, 0.0554, Adjacency::replace, CdaSampler::poisson}, 1.85812, 1.000513952e-05, 1.000554004e-05},
    {{6000, 32, 6000, 1, 0.111, Adjacency::add_remove, CdaSampler::without_replacement}, 0.950781, 1.003330361e-05, 1.003367553e-05},
    {{6000, 32, 6000, 1, 0.111, Adjacency::replace, CdaSampler::without_replacement}, 1.36844, 1.000557366e-05, 1.000596482e-05},
    {{6000, 64, 6000, 1, 0.0118, Adjacency::add_remove, CdaSampler::poisson}, 9.4125, 1.005755688e-05, 1.005855811e-05},
    {{6000, 64, 6000, 1, 0.0118, Adjacency::replace, CdaSampler::poisson}, 14.285, 1.003556735e-05, 1.003678918e-05},
    {{6000, 64, 6000, 1, 0.0236, Adjacency::add_remove, CdaSampler::without_replacement}, 9.4125, 1.005755688e-05, 1.005855811e-05},
    {{6000, 64, 6000, 1, 0.0236, Adjacency::replace, CdaSampler::without_replacement}, 12.85, 1.005424285e-05, 1.005533627e-05},
    {{6000, 128, 6000, 1, 0.0509, Adjacency::add_remove, CdaSampler::poisson}, 0.950469, 1.002634537e-05, 1.002665642e-05},
    {{6000, 128, 6000, 1, 0.0509, Adjacency::replace, CdaSampler::poisson}, 2.025, 1.000246752e-05, 1.000282348e-05},
    {{6000, 128, 6000, 1, 0.102, Adjacency::add_remove, CdaSampler::without_replacement}, 0.948438, 1.001929349e-05, 1.001960424e-05},
    {{6000, 128, 6000, 1, 0.102, Adjacency::replace, CdaSampler::without_replacement}, 1.38375, 9.993530927e-06, 9.993859555e-06},
    {{6000, 256, 6000, 1, 0.00734, Adjacency::add_remove, CdaSampler::poisson}, 9.42125, 1.000922194e-05, 1.000979444e-05},
    {{6000, 256, 6000, 1, 0.00734, Adjacency::replace, CdaSampler::poisson}, 20.525, 9.976878915e-06, 9.977600271e-06},
    {{6000, 256, 6000, 1, 0.0147, Adjacency::add_remove, CdaSampler::without_replacement}, 9.40375, 9.996711727e-06, 9.997283049e-06},
    {{6000, 256, 6000, 1, 0.0147, Adjacency::replace, CdaSampler::without_replacement}, 14.1725, 9.980572725e-06, 9.981219378e-06},
    {{6000, 512, 6000, 1, 0.0506, Adjacency::add_remove, CdaSampler::poisson}, 0.948281, 1.002167427e-05, 1.002197881e-05},
    {{6000, 512, 6000, 1, 0.0506, Adjacency::replace, CdaSampler::poisson}, 2.03875, 1.000124282e-05, 1.000158886e-05},
    {{6000, 512, 6000, 1, 0.101, Adjacency::add_remove, CdaSampler::without_replacement}, 0.950312, 1.002684789e-05, 1.002715267e-05},
    {{6000, 512, 6000, 1, 0.101, Adjacency::replace, CdaSampler::without_replacement}, 1.39062, 1.001757847e-05, 1.001790146e-05},
    {{6000, 1, 6000, 1, 0.533, Adjacency::add_remove, CdaSampler::poisson}, 1.78437, 7.670046465e-07, 7.670579508e-07},
    {{6000, 1, 6000, 1, 0.533, Adjacency::replace, CdaSampler::poisson}, 1.79688, 7.628532217e-07, 7.62923761e-07},
    {{6000, 1, 6000, 1, 1.07, Adjacency::add_remove, CdaSampler::without_replacement}, 1.76313, 7.265610069e-07, 7.266115955e-07},
    {{6000, 1, 6000, 1, 1.07, Adjacency::replace, CdaSampler::without_replacement}, 1.77469, 7.224907592e-07, 7.22541302e-07},
    {{6000, 2, 6000, 1, 0.301, Adjacency::add_remove, CdaSampler::poisson}, 1.475, 6.483453002e-07, 6.483909213e-07},
    {{6000, 2, 6000, 1, 0.301, Adjacency::replace, CdaSampler::poisson}, 1.50375, 6.422259753e-07, 6.422847367e-07},
    {{6000, 2, 6000, 1, 0.601, Adjacency::add_remove, CdaSampler::without_replacement}, 1.48281, 6.642770417e-07, 6.643237452e-07},
    {{6000, 2, 6000, 1, 0.601, Adjacency::replace, CdaSampler::without_replacement}, 1.50812, 6.579697349e-07, 6.580164783e-07},
    {{6000, 4, 6000, 1, 0.144, Adjacency::add_remove, CdaSampler::poisson}, 2.21219, 4.161915464e-06, 4.162203944e-06},
    {{6000, 4, 6000, 1, 0.144, Adjacency::replace, CdaSampler::poisson}, 2.32, 4.053487921e-06, 4.053864515e-06},
    {{6000, 4, 6000, 1, 0.144, Adjacency::label, CdaSampler::poisson}, 2.30781, 4.063339317e-06, 4.063629955e-06},
    {{6000, 4, 6000, 1, 0.288, Adjacency::add_remove, CdaSampler::without_replacement}, 2.21219, 4.161915464e-06, 4.162203944e-06},
    {{6000, 4, 6000, 1, 0.288, Adjacency::replace, CdaSampler::without_replacement}, 2.30781, 4.063339317e-06, 4.063629955e-06},
    {{6000, 4, 6000, 1, 0.288, Adjacency::label, CdaSampler::without_replacement}, 2.30781, 4.063339317e-06, 4.063629955e-06},
    {{6000, 64, 6000, 1, 0.0519, Adjacency::add_remove, CdaSampler::poisson}, 0.951562, 1.001049504e-05, 1.001082015e-05},
    {{6000, 64, 6000, 1, 0.0519, Adjacency::replace, CdaSampler::poisson}, 1.98219, 1.001623731e-05, 1.001660662e-05},
    {{6000, 64, 6000, 1, 0.0519, Adjacency::label, CdaSampler::poisson}, 1.38219, 1.001807809e-05, 1.001842259e-05},
    {{6000, 64, 6000, 1, 0.104, Adjacency::add_remove, CdaSampler::without_replacement}, 0.949375, 1.00218563e-05, 1.002218156e-05},
    {{6000, 64, 6000, 1, 0.104, Adjacency::replace, CdaSampler::without_replacement}, 1.37906, 1.002521886e-05, 1.002556339e-05},
    {{6000, 64, 6000, 1, 0.104, Adjacency::label, CdaSampler::without_replacement}, 1.37906, 1.002521886e-05, 1.002556339e-05},
    {{600, 64, 6000, 1, 0.0687, Adjacency::add_remove, CdaSampler::poisson}, 9.44, 9.996131079e-06, 9.996635757e-06},
    {{600, 64, 6000, 1, 0.0687, Adjacency::replace, CdaSampler::poisson}, 22.36, 9.964184366e-06, 9.964865217e-06},
    {{600, 64, 6000, 1, 0.137, Adjacency::add_remove, CdaSampler::without_replacement}, 9.47375, 1.001730039e-05, 1.001780666e-05},
    {{600, 64, 6000, 1, 0.137, Adjacency::replace, CdaSampler::without_replacement}, 14.4925, 1.000831267e-05, 1.000889021e-05},
    {{100000, 16, 10000, 1, 0.0249, Adjacency::add_remove, CdaSampler::poisson}, 10.0888, 9.059497662e-10, 9.060744448e-10},
    {{100000, 16, 10000, 1, 0.0249, Adjacency::replace, CdaSampler::poisson}, 10.1625, 9.07196351e-10, 9.073772095e-10},
    {{100000, 16, 10000, 1, 0.0498, Adjacency::add_remove, CdaSampler::without_replacement}, 10.0888, 9.059497662e-10, 9.060744448e-10},
    {{100000, 16, 10000, 1, 0.0498, Adjacency::replace, CdaSampler::without_replacement}, 10.1612, 9.076894983e-10, 9.078158425e-10},
    {{50, 40, 3, 1, 0.0348, Adjacency::add_remove, CdaSampler::poisson}, 3.4725, 0.001000778941, 0.001000803226},
    {{50, 40, 3, 1, 0.0348, Adjacency::replace, CdaSampler::poisson}, 6.8075, 0.00100214883, 0.001002180737},
    {{50, 40, 3, 1, 0.0695, Adjacency::add_remove, CdaSampler::without_replacement}, 3.47875, 0.001001844359, 0.001001868681},
    {{50, 40, 3, 1, 0.0695, Adjacency::replace, CdaSampler::without_replacement}, 4.74938, 0.00100232304, 0.001002349652},
};
// clang-format on

}  // namespace dpmix::test
