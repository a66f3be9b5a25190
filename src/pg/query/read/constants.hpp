// What a query's text knows before any row is read: its constants, and whether it asks of now.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Adds what a constant takes to bytes. PV005: together they are more than dpmix.row_memory.
void add_constant(double* bytes, const Node* node);

// What PostgreSQL's own functions make of constants becomes one, which is added to bytes, a double.
Node* evaluate_constants(Node* node, void* bytes);

// Whether FROM, WHERE, a key or an aggregate goes by the time of the call.
bool asks_of_now(const Query* query);

}  // namespace dpmix::pg
