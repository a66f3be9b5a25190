// What turns exact or kept integers into the caller's rows: noise, memory, post-processing,
// NOTICEs.
#pragma once

#include "pg/query/answer/column_intervals.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/answer/group_noise.hpp"
#include "pg/query/recall/remember.hpp"

namespace dpmix::pg {

struct Putting;

// Call before the charge. receive: called for each row; lasts as long as the rows. columns: where
// the intervals of the group whose row is received are put; NULL: nobody asks.
Putting* begin_putting(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                       const RowReceiver& receive, ColumnIntervals** columns = NULL);
// One of these four puts all rows. This one those of groups that were scanned: adds noise, and
// keeps it.
void put_noisy_rows(Putting* putting, Keeping* keeping, ExactGroups* groups);
// Rows of a hit: no row of a table is read and nothing is drawn.
void put_remembered_rows(Putting* putting, const Recall& recalled);
// The answer where no row is possible: as PostgreSQL aggregates none.
void put_answer_of_nothing(Putting* putting);
// Sums of cells of other tables.
void put_derived_rows(Putting* putting, const DerivedAnswer& derived);
// NOTICEs of answers that say little.
void end_putting(const Putting* putting);

// Adds noise to all groups that are declared, and keeps it. Their cells.
Int128* noisy_groups(const PricedQuery* priced, const StatisticNoise* drawn, Keeping* keeping,
                     ExactGroups* exact, GroupNoise* noise);

}  // namespace dpmix::pg
