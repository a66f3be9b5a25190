#include "pg/query/answer/column_intervals.hpp"

#include <cmath>
#include <limits>

#include "pg/query/answer/operands.hpp"
#include "pg/query/check/released_columns.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/safe/expression.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLevel = .95;
constexpr int kLongest = 60;  // bytes of a name

struct Watched {  // a column
  const char* name;
  const ExpressionInterval** of;  // for each grouping set; NULL: none of the column itself is known
  MeasuredValue here;             // its value in the group at hand
  double least, most;             // half of the interval's width, in all groups
  bool drawn;                     // a quantile: it has no interval
};

// The aggregate whose array a column is: each number in it is off by as much. NULL: another column.
const QueryAggregate* array_in(const QueryShape* shape, const Expr* expression) {
  if (!IsA(expression, Var)) return NULL;
  const int place = ((const Var*)expression)->varattno - shape->keys - 1;
  if (place < 0 || shape->value[place].end != ReleasedEnd::answer) return NULL;
  const QueryAggregate* aggregate = &shape->aggregate[shape->value[place].aggregate];
  return aggregate->row->is_number() ? NULL : aggregate;
}

bool has_draw(const QueryStatistics* statistics, const Operand* operand) {
  if (operand == NULL) return false;
  if (operand->kind == Operand::Kind::answer) {
    const int cells = statistics->parts[operand->aggregate].cells;
    return cells >= 0 && statistics->statistic[cells].kind == StatisticKind::drawn;
  }
  return has_draw(statistics, operand->left) || has_draw(statistics, operand->right);
}

const Operand* first_answer(const Operand* operand) {
  if (operand == NULL || operand->kind == Operand::Kind::answer) return operand;
  const Operand* left = first_answer(operand->left);
  return left != NULL ? left : first_answer(operand->right);
}

// The aggregate's name as PostgreSQL has it, without dp_, and its argument.
const char* name_of(const RowScope* scope, const QueryAggregate* aggregate) {
  const char* name = aggregate->name;
  if (strncmp(name, "dp_", 3) == 0) name += 3;
  const bool distinct = aggregate->row->takes == Takes::distinct;
  const char* of = aggregate->argument == NULL ? "*" : argument_text(scope, aggregate);
  char* text = psprintf("%s(%s%s)", distinct ? "count" : name, distinct ? "DISTINCT " : "", of);
  if (aggregate->filter != NULL) {
    text = psprintf("%s FILTER (WHERE %s)", text, expression_text(scope, aggregate->filter));
  }
  const int length = (int)strlen(text);
  if (length <= kLongest) return text;
  text[pg_mbcliplen(text, length, kLongest)] = '\0';
  return psprintf("%s...", text);
}

void append_width(StringInfo out, double width) {
  if (std::isfinite(width)) {
    appendStringInfo(out, "%.3g", width);
  } else {
    appendStringInfoString(out, "any");
  }
}

}  // namespace

struct ColumnIntervals {
  int columns;
  Watched* column;
  int64 groups;
};

ColumnIntervals* column_intervals(const RowScope* scope, const QueryShape* shape,
                                  const QueryGroups* groups, const QueryStatistics* statistics,
                                  const StatisticNoise* noise, const CubeReach* sums) {
  const ReleasedColumns* released = shape->released;
  ColumnIntervals* made = (ColumnIntervals*)palloc0(sizeof(ColumnIntervals));
  made->columns = released->columns;
  made->column = (Watched*)palloc0(sizeof(Watched) * released->columns);
  const int sets = sets_of(groups);
  for (int c = 0; c < released->columns; c++) {
    Watched* column = &made->column[c];
    const Expr* expression = released->column[c].expression;
    if (const QueryAggregate* array = array_in(shape, expression)) {
      const AnswerSource source =
          answer_source(shape, statistics, noise, (int)(array - shape->aggregate));
      column->name = name_of(scope, array);
      column->least = column->most = array->row->reach(source, kLevel).count;
      continue;
    }
    const Operand* answer = first_answer(operand_of(shape, expression));
    if (answer == NULL) continue;
    column->name = name_of(scope, &shape->aggregate[answer->aggregate]);
    column->drawn = has_draw(statistics, answer);
    if (column->drawn) continue;
    column->least = std::numeric_limits<double>::infinity();
    column->of = (const ExpressionInterval**)palloc0(sizeof(ExpressionInterval*) * sets);
    for (int set = 0; set < sets; set++) {
      CHECK_FOR_INTERRUPTS();
      const CubeReach* here = sums != NULL ? sums + set * statistics->count : NULL;
      column->of[set] =
          expression_interval({shape, groups, statistics, noise, set, here}, expression, kLevel);
    }
  }
  return made;
}

void look_at_columns(ColumnIntervals* columns, int set, const GroupAnswer& group) {
  columns->groups++;
  for (int c = 0; c < columns->columns; c++) {
    Watched* column = &columns->column[c];
    if (column->of == NULL) continue;
    column->here = measured_in_group(column->of[set], group);
    const double half = (column->here.interval.high - column->here.interval.low) / 2;
    column->least = Min(column->least, half);
    column->most = Max(column->most, half);
  }
}

double relative_width(const ColumnIntervals* columns, int column) {
  const Watched& watched = columns->column[column];
  if (watched.of == NULL) return NAN;
  const auto& [value, interval] = watched.here;
  const double width = interval.high - interval.low;
  return width == 0 ? 0 : width / std::abs(value);
}

const char* widths_text(const ColumnIntervals* columns) {
  StringInfoData text;
  initStringInfo(&text);
  for (int c = 0; columns->groups > 0 && c < columns->columns; c++) {
    const Watched* column = &columns->column[c];
    if (column->name == NULL) continue;
    appendStringInfo(&text, "%s%s ", text.len > 0 ? ", " : "", column->name);
    if (column->drawn) {
      appendStringInfoString(&text, "has none, it is drawn");
      continue;
    }
    appendStringInfoString(&text, "+/- ");
    append_width(&text, column->least);
    if (strcmp(psprintf("%.3g", column->least), psprintf("%.3g", column->most)) == 0) continue;
    appendStringInfoString(&text, " to ");
    append_width(&text, column->most);
  }
  return text.len > 0 ? text.data : NULL;
}

}  // namespace dpmix::pg
