// What of a recipe depends on when its period is due: the name of a model; $due in the text of a
// query, the moment, as timestamptz; blocks => 'period', what lies between the last due time and
// this one.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/schedule/recipe.hpp"
#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// The recipe as the period's release is called. Run under the schedule's settings.
const Recipe* recipe_at(const Schedule* schedule, const Recipe* recipe, int64 period);

// The query's text with $n, one beyond its parameters, for $due; NULL: it has none.
struct DueText {
  const char* text;
  int parameter;
};
DueText text_of_due(const Recipe* recipe);

// Whether the blocks of what is no query are 'period', and then what lies between, as values of the
// column. PV005: the column holds no times.
bool reads_period(const Recipe* recipe);
Places places_of_period(const Schedule* schedule, const BlockColumn& blocks, int64 period);

}  // namespace dpmix::pg
