// The private part of a query as a text of dpmix's own language, and the values that go with it.
#pragma once

#include "pg/facade/answer.hpp"
#include "pg/facade/recognise.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct PrivateText {
  const char* text;
  const char* question;  // NULL: the text
  int real;              // the first parameters, which the question has, too
  List* parameters;      // expressions of no column, for the caller's session to evaluate
  List* facades;         // oids
  List* tables;          // oids of what it reads
};

struct PrivateKeys {                  // those of GROUP BY
  const List *expressions, *clauses;  // each once
  const List* sets;                   // GROUPING SETS, ROLLUP and CUBE
  bool distinct;                      // each of these once
};

// The text for a query whose FROM was flattened: keys, then aggregates and GROUPING of keys, each
// once. Parameters, and expressions of no column that are evaluated once a statement, as now(),
// become $n. Rows are filtered unless without_filter. PV002: it reads more than tables and facades,
// or something that a row cannot be asked.
PrivateText private_text(const Query* query, const PrivateKeys& keys, const List* aggregates,
                         bool without_filter);

// The same of one that reads layers, with all of its sub-selects.
PrivateText layered_text(const QueryLevel* level, const PrivateKeys& keys, const List* aggregates);

}  // namespace dpmix::pg
