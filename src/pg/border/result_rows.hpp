// What a SQL function returns: one row, or a set of them.
#pragma once

#include <initializer_list>

#include "pg/border/value.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

// The result of a function in FROM, which then returns (Datum)0. Its columns are those of the
// function's declaration; as_expected: those that the call states, or the one of a function that
// returns no rows but values.
struct ResultRows {
  Tuplestorestate* store;
  TupleDesc type;
};
ResultRows begin_rows(FunctionCallInfo fcinfo, bool as_expected = false);
void add_row(const ResultRows& rows, std::initializer_list<Value> columns);

// The one row of a function that returns a row type.
Datum row_datum(FunctionCallInfo fcinfo, std::initializer_list<Value> columns);

}  // namespace dpmix::pg
