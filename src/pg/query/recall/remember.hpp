// The noisy integers of an answer, made from what is drawn and what is remembered, and what of it
// is kept for the next time.
#pragma once

#include "pg/query/recall/recall.hpp"

namespace dpmix::pg {

// The noise of each statistic, before the charge. drawn: that of this call, with scale 0 where none
// is drawn. shown: that of the answer, of all draws together.
struct AnswerNoise {
  StatisticNoise *drawn, *shown;
};
AnswerNoise answer_noise(const PricedQuery* priced, const Recall& recalled);

// Combines the draws of a group, the number-th that comes back: in place.
struct AnswerCells;
AnswerCells* answer_cells(const PricedQuery* priced, const Recall& recalled);
void combine_cells(AnswerCells* answer, int64 number, Int128* cells);

// Keeps this call's draws. They are written when the release is over.
struct Keeping;
// charges: of each protected table. NULL: nothing is kept.
Keeping* begin_keeping(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                       const int64* charges);
// key: of a group that was discovered, each value; cells: of the draws alone.
void keep_group(Keeping* keeping, const Datum* key, const bool* nulls, const Int128* cells);
void end_keeping(Keeping* keeping);

}  // namespace dpmix::pg
