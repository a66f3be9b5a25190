#include "pg/query/check/rounded_moments.hpp"

#include <initializer_list>

#include "pg/border/compat.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/comparisons.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

struct Rounding {
  const RowScope* scope;
  StringInfoData quanta;
  List* told;  // messages, each once
};

bool is_ordering(Oid op) {
  if (op >= FirstUnpinnedObjectId) return false;
  const char* name = get_opname(op);
  for (const char* known : {"<", "<=", "=", ">=", ">"}) {
    if (strcmp(known, name) == 0) return true;
  }
  return false;
}

// The time quantum of a side of a comparison, if it is a column of a protected table; 0: none.
int64 quantum_of(const Rounding* rounding, const Node* side) {
  if (!IsA(side, Var) || ((const Var*)side)->varattno <= 0) return 0;
  const Var* column = (const Var*)side;
  const QuerySources* sources = rounding->scope->sources;
  for (int i = 0; column->varlevelsup == 0 && i < sources->count; i++) {
    const QuerySource* source = &sources->source[i];
    if (source->varno != (Index)column->varno || source->table == NULL) continue;
    return source->layer != NULL ? 0 : column_domain(source->table, column->varattno).quantum;
  }
  return 0;
}

int64 rounded_down(int64 number, int64 quantum) {
  const int64 rest = number % quantum;
  return number - (rest < 0 ? rest + quantum : rest);
}

// Rounds a moment down to a multiple of the quantum since 2000-01-01, in UTC or by the clock that
// the constant is about. false: it stays as it is.
bool round_moment(const Const* moment, int64 quantum, Datum* made) {
  if (moment->consttype == DATEOID) {
    constexpr DateADT kMost = 100000000;  // days, whose microseconds are an int64
    const DateADT day = DatumGetDateADT(moment->constvalue);
    if (day < -kMost || day > kMost) return false;
    const int64 whole = rounded_down(rounded_down(day * USECS_PER_DAY, quantum), USECS_PER_DAY);
    *made = DateADTGetDatum((DateADT)(whole / USECS_PER_DAY));
    return IS_VALID_DATE(DatumGetDateADT(*made)) && DatumGetDateADT(*made) != day;
  }
  const Timestamp at = DatumGetTimestamp(moment->constvalue);
  if (TIMESTAMP_NOT_FINITE(at)) return false;
  const Timestamp rounded = rounded_down(at, quantum);
  *made = TimestampGetDatum(rounded);
  return IS_VALID_TIMESTAMP(rounded) && rounded != at;
}

const char* moment_text(Oid type, Datum value) {
  Oid output;
  bool varlena;
  getTypeOutputInfo(type, &output, &varlena);
  return OidOutputFunctionCall(output, value);
}

void tell(Rounding* rounding, const Var* column, const Const* moment, Datum rounded) {
  char* message =
      psprintf("'%s' is rounded to '%s' where it is compared with column %s",
               moment_text(moment->consttype, moment->constvalue),
               moment_text(moment->consttype, rounded), column_text(rounding->scope, column));
  ListCell* cell;
  foreach (cell, rounding->told) {
    if (strcmp((const char*)lfirst(cell), message) == 0) return;
  }
  rounding->told = lappend(rounding->told, message);
  ereport(NOTICE, (errmsg("%s", message),
                   errdetail("The owner set a time quantum, so that windows that move are one "
                             "question. The answer is about the rounded window.")));
}

// The comparison with its constant rounded; NULL: it is none of those.
Node* rounded_comparison(Rounding* rounding, OpExpr* node) {
  if (list_length(node->args) != 2 || !is_ordering(node->opno)) return NULL;
  for (int side = 0; side < 2; side++) {
    const int64 quantum = quantum_of(rounding, (const Node*)list_nth(node->args, side));
    if (quantum == 0) continue;
    OpExpr* made = (OpExpr*)copyObjectImpl(in_local_time(node));
    const Var* column = (const Var*)list_nth(made->args, side);
    Const* moment = (Const*)list_nth(made->args, 1 - side);
    if (!is_constant((const Node*)moment)) return NULL;
    const Oid type = moment->consttype;
    if (type != DATEOID && type != TIMESTAMPOID && type != TIMESTAMPTZOID) return NULL;
    appendStringInfo(&rounding->quanta, " quantum %d.%d " INT64_FORMAT, (int)column->varno,
                     (int)column->varattno, quantum);
    Datum rounded;
    if (!round_moment(moment, quantum, &rounded)) return (Node*)node;
    tell(rounding, column, moment, rounded);
    moment->constvalue = rounded;
    return (Node*)made;
  }
  return NULL;
}

Node* round_in(Node* node, void* arg) {
  if (node == NULL) return NULL;
  if (IsA(node, OpExpr)) {
    Node* made = rounded_comparison((Rounding*)arg, (OpExpr*)node);
    if (made != NULL) return made;
  }
  return mutate_expression(node, round_in, arg);
}

}  // namespace

RoundedMoments rounded_moments(const RowScope* scope) {
  Rounding rounding = {.scope = scope, .quanta = {}, .told = NIL};
  initStringInfo(&rounding.quanta);
  Query* query = (Query*)copyObjectImpl(scope->query);
  if (query->commandType != CMD_SELECT) return {scope->query, ""};
  query->targetList = (List*)round_in((Node*)query->targetList, &rounding);
  query->jointree = (FromExpr*)round_in((Node*)query->jointree, &rounding);
  query->havingQual = round_in(query->havingQual, &rounding);
  return {rounding.told == NIL ? scope->query : query, rounding.quanta.data};
}

}  // namespace dpmix::pg
