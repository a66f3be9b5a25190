// Arithmetic of row expressions: PostgreSQL's functions and operators over its number types, and
// the total operation in double precision that each is compiled to.
#pragma once

#include <optional>

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

constexpr const char* kPlacedNumber = "placed_number";  // of dpmix_internal
// A call of that: it is missing where its first argument is.
bool is_placed_number(const FuncExpr* call);

bool safe_number_function(const SafeCall* call, SafePart* made);

bool is_number(Oid type);
bool is_integer(Oid type);
// The operation that a function or operator of numbers is; none: it is another one.
std::optional<RowOperation> row_operation(Oid function);
// dpmix_internal.to_float8, or a cast that takes every value: neither makes nor hides a NULL or a
// NaN.
bool is_conversion(Oid function);
constexpr Oid kFloat8Differs = 671;  // float8 <> float8
// A number as float8.
Expr* as_float8(Expr* number);
Expr* number_of(const SafePart* part);
SafePart number_part(Expr* value, const ValueInterval& range);  // recompiled
// A constant number, or a date as days, as float8.
double float8_of(const Const* number);

}  // namespace dpmix::pg
