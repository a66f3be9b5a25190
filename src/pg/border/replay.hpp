// Places where the replay audit looks on, or decides on what chance would (docs/proofs/replay.md).
// Nothing of it is compiled unless DPMIX_REPLAY is defined, which no build that is installed does
// (test/server/replay makes its own).
#pragma once

#ifdef DPMIX_REPLAY
#include "test/server/replay/hooks.hpp"
#define DPMIX_REPLAY_HOOK(call) ::dpmix::replay::call
#define DPMIX_REPLAY_KEY(key) ::dpmix::replay::fixed_key(key)
#define DPMIX_REPLAY_PLAN(plan) ::dpmix::replay::seen_plan(plan)
#define DPMIX_REPLAY_DRAWS(random) ::dpmix::replay::unit_draws()
#else
#define DPMIX_REPLAY_HOOK(call) ((void)0)
#define DPMIX_REPLAY_KEY(key) false
#define DPMIX_REPLAY_PLAN(plan) (plan)
#define DPMIX_REPLAY_DRAWS(random) (random)
#endif
