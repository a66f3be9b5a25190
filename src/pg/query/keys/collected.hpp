// The values of a bucket as they are found, and what calls of buckets have in common.
#pragma once

#include "pg/query/keys/column.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

struct Collected {
  KeyColumn* key;
  int room;
  FmgrInfo* compare;
};
Collected collected_in(KeyColumn* key);  // which has its type
// A value that is the last one again is not taken twice. PV005: too many.
void collect(Collected* to, Datum value);
// Whole numbers of a type that buckets have and width_bucket(x, low, high, n) takes.
Datum integer_datum(Oid type, int number);
void collect_numbers(Collected* to, Oid type, int first, int last);
// What the steps (steps.hpp) above a call make of each of its values.
void collect_images(Collected* to, const Expr* whole, const FuncExpr* call, const KeyColumn& below);

void put_type(KeyColumn* key, Expr* expression);
Expr* comparison_with(Oid type, int strategy, Expr* left, Datum right);
// PV002: an argument but the n-th is no constant.
void require_constants(const List* arguments, int but);

}  // namespace dpmix::pg
