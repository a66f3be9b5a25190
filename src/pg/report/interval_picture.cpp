// dpmix.interval_svg, an aggregate: what it is given, up to so many rows, as a picture. Its values
// are paid for, so none of them is an error, and a further row is counted where it is not kept.
#include <optional>
#include <string>

#include "core/drawing/intervals.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/texts.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/array.h"  // VARDATA_ANY

PG_FUNCTION_INFO_V1(dpmix_interval_svg_add);
PG_FUNCTION_INFO_V1(dpmix_interval_svg_draw);
}

namespace dpmix::pg {
namespace {

constexpr int kMostRows = 300;
constexpr int kMostBytes = 256;  // bytes of a text; more would not be seen

struct Row {
  char* label;  // NULL: it is
  std::optional<double> answer, low, high;
};

struct IntervalState {  // that of one group, in the aggregate's memory
  char* title;          // the first that is not NULL
  int64 rows;
  int room;
  Row* row;
};

char* copy_text(FunctionCallInfo fcinfo, int argument) {
  if (PG_NARGS() <= argument || PG_ARGISNULL(argument)) return NULL;
  text* slice = DatumGetTextPSlice(PG_GETARG_DATUM(argument), 0, kMostBytes);
  const char* bytes = VARDATA_ANY(slice);
  const int size = (int)VARSIZE_ANY_EXHDR(slice);
  return pnstrdup(bytes, size < kMostBytes ? size : pg_mbcliplen(bytes, size, kMostBytes - 1));
}

// Arguments 1 to 4 and the title.
void add_row(IntervalState* state, FunctionCallInfo fcinfo) {
  if (state->title == NULL) state->title = copy_text(fcinfo, 5);
  if (++state->rows > kMostRows) return;
  if (state->rows > state->room) {
    state->room = Min(Max(2 * state->room, 8), kMostRows);
    const Size size = sizeof(Row) * state->room;
    state->row = (Row*)(state->row == NULL ? palloc(size) : repalloc(state->row, size));
  }
  state->row[state->rows - 1] = {copy_text(fcinfo, 1), float8_argument(fcinfo, 2),
                                 float8_argument(fcinfo, 3), float8_argument(fcinfo, 4)};
}

IntervalPicture picture_of(const IntervalState& state, const char* title,
                           const char* const* label) {
  IntervalPicture picture;
  if (title != NULL) picture.title = title;
  const int rows = (int)Min(state.rows, kMostRows);
  for (int i = 0; i < rows; i++) {
    const Row& row = state.row[i];
    picture.rows.push_back({label[i] == NULL ? std::nullopt : std::optional<std::string>(label[i]),
                            row.answer, row.low, row.high});
  }
  picture.rows_left = state.rows - rows;
  return picture;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_interval_svg_add(PG_FUNCTION_ARGS) {
  MemoryContext context;
  if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "not called as an aggregate");
  MemoryContext old = MemoryContextSwitchTo(context);
  IntervalState* state = PG_ARGISNULL(0) ? (IntervalState*)palloc0(sizeof(IntervalState))
                                         : (IntervalState*)PG_GETARG_POINTER(0);
  add_row(state, fcinfo);
  MemoryContextSwitchTo(old);
  PG_RETURN_POINTER(state);
}

Datum dpmix_interval_svg_draw(PG_FUNCTION_ARGS) {
  const IntervalState none = {};
  const IntervalState* state = PG_ARGISNULL(0) ? &none : (const IntervalState*)PG_GETARG_POINTER(0);
  const int rows = (int)Min(state->rows, kMostRows);
  const char** label = (const char**)palloc0(sizeof(char*) * (rows + 1));
  for (int i = 0; i < rows; i++) {
    if (state->row[i].label != NULL) label[i] = as_utf8(state->row[i].label);
  }
  const char* title = state->title == NULL ? NULL : as_utf8(state->title);
  PG_RETURN_TEXT_P(
      guard([&] { return text_of(draw_intervals(picture_of(*state, title, label))); }));
}
