// Settings of memory: how long and how much is kept where the owner said nothing, and how fresh an
// answer the caller wants.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// Called by _PG_init.
void memory_settings_init();

double default_keep_seconds();  // 0: nothing is kept
double answer_limit_bytes();
double grant_limit_bytes();

// dpmix.max_age, in seconds: an answer may be so old; infinite: as old as the owner allows. It
// counts where the current user, who pays, set it, or the configuration of the server.
double asked_age_seconds();
// Whether what is kept so long will do for the same caller who asks again soon.
bool shows_again(double keep_seconds);
// A release process does not see the caller's settings: this goes with the order, and from then on
// asked_age_seconds() is what it says.
StringInfoData asked_age_attachment();

}  // namespace dpmix::pg
