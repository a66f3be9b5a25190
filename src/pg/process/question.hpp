// What a release's process asks of its caller, whose session alone can answer.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

enum class Question : char { charge = 'c', own_locks = 'l' };

// Each kind has one answerer, named in _PG_init; it runs in the caller's session, between two
// messages, and may raise.
using Answerer = void (*)(StringInfo question, StringInfo answer);
void answer_in_caller(Question kind, Answerer answerer);
Answerer answerer_of(char kind);  // NULL: none

}  // namespace dpmix::pg
