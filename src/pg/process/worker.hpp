// What a release does in its process, besides reading rows.
#pragma once

#include "pg/process/question.hpp"

namespace dpmix::pg {

bool in_release_process();

// What the caller sent along.
StringInfoData order_attachment();
// The result of a function that returns no rows: to release_bytes().
Datum return_bytes(StringInfoData bytes);

StringInfoData ask(Question kind, StringInfo question);
// The process id of the session that the release is for; in a session, its own.
int asking_pid();

// All locks are held that the release will ever need; from here on it waits for nobody. PV004 where
// the rows' type is not what the caller took it for.
void end_locking();
// After this, every error is the same error: which one would be an answer.
void note_charged();

// What is to be written about a release: once, when its transaction is over and before the caller
// hears of its end, in a transaction of its own that may write, and that is flushed. What it needs
// lies in the memory of the order. Where it fails, the release stands, with a warning; or, where it
// must be written, the release failed.
MemoryContext order_memory();
void write_after_release(void (*write)(void* what), void* what, bool must = false);
// The same call is free from now on, once what is to be written is: kept_answers.hpp.
void note_kept();

}  // namespace dpmix::pg
