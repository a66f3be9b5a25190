// A query that aggregates rows of facades becomes one that reads an answer.
#pragma once

#include "pg/facade/calls.hpp"
#include "pg/facade/recognise.hpp"

namespace dpmix::pg {

// Makes the level's query read an answer. What is made of keys and aggregates (HAVING, windows,
// ORDER BY, LIMIT) stays PostgreSQL's. PV002: the query cannot be answered.
void replace_block(const QueryLevel* level, StatementAnswers* answers);

}  // namespace dpmix::pg
