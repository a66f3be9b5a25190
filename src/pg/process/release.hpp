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

// PV004 on a standby, where no charge can be committed.
void require_primary();

// The rows of a set-returning function, as the process put them, into those of the call. What the
// caller read, and the process is to know, goes along: order_attachment(), shipped_table().
Datum release_rows(FunctionCallInfo fcinfo, const ResultRows& rows,
                   const StringInfoData* attachment = NULL, const StringInfoData* tables = NULL);
// What the process returned by return_bytes().
StringInfoData release_bytes(FunctionCallInfo fcinfo);

}  // namespace dpmix::pg
