// From the noisy integers of an answer to the caller's rows: what is kept, post-processing,
// NOTICEs.
#pragma once

#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/answer/group_noise.hpp"
#include "pg/query/remember.hpp"

namespace dpmix::pg {

struct Putting;

// Before the charge. receive: of each row; lasts as long as the rows.
Putting* begin_putting(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                       const RowReceiver& receive);
// All rows, by one of these. Of groups that were scanned: post-processing begins where noise is
// added.
void put_noisy_rows(Putting* putting, Keeping* keeping, ExactGroups* groups);
// Of a hit: no row is read and nothing is drawn.
void put_remembered_rows(Putting* putting, const Recall& recalled);
// Sums of cells of other tables.
void put_derived_rows(Putting* putting, const DerivedAnswer& derived);
// NOTICEs of answers that say little.
void end_putting(const Putting* putting);

// The noisy cells of all groups of grouping sets.
Int128* noisy_sets(const PricedQuery* priced, const StatisticNoise* drawn, Keeping* keeping,
                   ExactGroups* exact, GroupNoise* noise);

}  // namespace dpmix::pg
