// A release runs in a process of dpmix's own: scan, exact numbers and noise stay there, and only
// what is released comes back. Nothing of it ever runs in the caller's backend, whose caches,
// buffers and files the caller can look at.
//
//   Datum dpmix_example(PG_FUNCTION_ARGS) {
//     if (!in_release_process()) return release_rows(fcinfo, rows);
//     ... check, price, plan; charge; scan; add noise; put rows ...
//   }
//
// The process calls the same function with the same arguments, as the same role, under the caller's
// snapshot and those settings of his that give texts their meaning. It is read only. What must
// happen in the caller's session, such as the charge, it asks of it.
#pragma once

#include "pg/border/result_rows.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

bool in_release_process();

// PV004 on a standby, where no charge can be committed.
void require_primary();

// Caller. The rows of a set-returning function, as the process put them, into those of the call.
// What the caller read, and the process is to know, goes along: order_attachment().
Datum release_rows(FunctionCallInfo fcinfo, const ResultRows& rows,
                   const StringInfoData* attachment = NULL);
StringInfoData order_attachment();
// Caller. What the process returned by return_bytes().
StringInfoData release_bytes(FunctionCallInfo fcinfo);
Datum return_bytes(StringInfoData bytes);

// What a process asks of its caller. Each kind has one answerer, named in _PG_init; it runs in the
// caller's session, between two messages, and may raise.
enum class Question : char { charge = 'c', own_locks = 'l' };
using Answerer = void (*)(StringInfo question, StringInfo answer);
void answer_in_caller(Question kind, Answerer answerer);
// Process.
StringInfoData ask(Question kind, StringInfo question);
// Process: pid of the session that the release is for.
int caller_pid();

// Process: all locks are held that the release will ever need; from here on it waits for nobody.
void end_locking();
// Process: after this, every error is the same error: which one would be an answer.
void note_charged();

}  // namespace dpmix::pg
