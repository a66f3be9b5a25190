// The question behind a noisy statistic as bytes: equal for the same question, however it was
// written, and different for any two that rows could answer differently.
//
// Made of safe expressions, never of the caller's text: functions, operators, types and columns are
// oids and numbers, constants are bits, what is joined by AND is sorted. Cosmetic fields, which
// equal() does not look at either, are left out. docs/proofs/memory.md.
#pragma once

#include "pg/memory/terms.hpp"
#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

// A question of a query whose constant expressions are not evaluated; its tables are in
// canonical_query.
const char* canonical_question(const Query* query);

// What all statistics of a query have in common: build, tables, editions, grants, FROM, WHERE, the
// keys with their public values, what of a privacy unit counts. question: instead of expressions
// over rows, where these have constants that change from one call to the next.
StringInfoData canonical_query(const PricedQuery* priced, const MemoryTerms& terms,
                               const char* question);
// The same without conditions and keys: what queries of which one is derived from another share.
// Their expressions are told by canonical_node() and canonical_key().
StringInfoData canonical_source(const PricedQuery* priced, const MemoryTerms& terms);
const char* canonical_node(const void* node);
// A key with its public values, whatever rows without one count as.
const char* canonical_key(const KeyColumn* key);
// Whether a function over rows may look at settings.
bool is_mutable(const PricedQuery* priced);
// The part of one statistic; number: its place, which a question goes by.
void append_canonical_statistic(StringInfo out, const PricedQuery* priced, int number,
                                const char* question);

}  // namespace dpmix::pg
