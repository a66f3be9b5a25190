// The memory that rows may make a release take, had before the first of them.
//
// An allocation that fails tells of the row that asked for it. So what rows can ask for is added up
// from public numbers while a release is prepared, and had before the charge: taken from the
// kernel, touched, and given back to the allocator, which is told to keep it. Then no row makes a
// process ask the kernel. Parallel workers do the same before they get a row
// (scan/plan_start.hpp). docs/proofs/silence.md.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "executor/execdesc.h"
}

namespace dpmix::pg {

void row_needs_init();  // called by _PG_init

// Process: an order begins, which needs nothing yet.
void begin_needs();
// Rows may make this process, and each parallel worker of its scans, take so many bytes.
void need_memory(double bytes);
// This process alone: workers have no part in it.
void need_own_memory(double bytes);
// Call after the charge, when the need follows from what was released. The largest of these needs
// is taken before the first row of the next scan.
void need_more_memory(double bytes);
// Whether what was needed is too much to be kept by a process that has nothing to do.
bool needs_are_large();

// Takes the memory, before the charge. PV004 where it cannot be had.
void have_memory();
// Takes it again before the first row after that, once: planning and starting may have taken some
// of it since. In a parallel worker, its part. An error here comes whatever the rows are.
void have_memory_before_rows(QueryDesc*);

// The setting by which workers know their part, in kB; and what it is now.
inline constexpr char kWorkerNeeds[] = "dpmix.needed_memory";
int worker_needs();

}  // namespace dpmix::pg
