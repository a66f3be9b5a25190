#include "pg/query/safe/columns.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "pg/catalog/block_column.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_bounds.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/moments.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/safe/text_lengths.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr const char* kWithoutNan = "total_without_nan";
constexpr double infinity = std::numeric_limits<double>::infinity();

double characters_of(const Var* var) {
  const bool limited = (var->vartype == VARCHAROID || var->vartype == BPCHAROID) &&
                       var->vartypmod >= (int32)VARHDRSZ;
  return limited ? var->vartypmod - (int32)VARHDRSZ : infinity;
}

ColumnDomain declared_domain(const RowScope* scope, const Var* var) {
  return domain_of(scope, var);
}

// A public column whose values say its bounds.
bool is_read(const RowScope* scope, const Var* var) {
  return source_of(scope, var)->table == NULL && holds_numbers(var->vartype);
}

// Declared, or what the values of a public table are.
ColumnDomain known_domain(const RowScope* scope, const Var* var) {
  return is_read(scope, var) ? bounds_of(scope, var) : declared_domain(scope, var);
}

ValueInterval declared_length(const RowScope* scope, const Var* var) {
  const ColumnDomain domain = declared_domain(scope, var);
  return domain.has_bounds ? ValueInterval{domain.lower, domain.upper, true} : ValueInterval{};
}

void explain_unbounded(SafeCompiler* compiler, const Var* var, const ColumnDomain& domain) {
  if (compiler->unbounded != NULL) return;
  const char* name = column_text(compiler->scope, var);
  const char* bounded = psprintf("least(greatest(%s, lower), upper)", name);
  if (domain.below || domain.above) {
    compiler->unbounded = psprintf("Public column %s has infinite values.", name);
    compiler->instead = psprintf("State bounds in the query: %s; or leave them out.", bounded);
    return;
  }
  compiler->unbounded = psprintf("Column %s has no declared bounds.", name);
  compiler->instead = psprintf(
      "The owner declares them with dpmix.set_bounds; or state them in the query: %s.", bounded);
}

// The bounds of a public column do not hold for its infinite values, but where conditions do.
bool is_bounded(const RowScope* scope, const Var* var, const ColumnDomain& domain) {
  if (!domain.below && !domain.above) return domain.has_bounds;
  ColumnDomain open = domain;
  if (domain.below) open.lower = -infinity;
  if (domain.above) open.upper = infinity;
  return range_of(scope, var, open).finite();
}

// A number that a layer computed.
SafePart computed_column(SafeCompiler* compiler, const Var* var, const LayerColumn* made) {
  Expr* value = (Expr*)copyObjectImpl(var);
  const ColumnDomain& domain = made->domain;
  if (!compiler->bounded() || !domain.has_bounds) {
    if (compiler->bounded()) explain_unbounded(compiler, var, domain);
    return number_part(value, {});
  }
  const ValueInterval range = range_of(compiler->scope, var, domain);
  return number_part(
      call_dpmix("total_clamp", FLOAT8OID,
                 list_make3(value, float8_constant(range.lower), float8_constant(range.upper))),
      range);
}

}  // namespace

bool is_operand_type(Oid type) {
  const Oid element = get_element_type(type);
  return is_own_type(OidIsValid(element) ? element : type);
}

ValueInterval range_of(const RowScope* scope, const Var* var, const ColumnDomain& domain) {
  const ColumnDomain of_rows = met_by_categories(scope, var, domain);
  const Bounds declared = {of_rows.lower, of_rows.upper};
  const Bounds met = bounds_met(scope->facts, var, declared, scope->open_ends,
                                domain.nan_is_middle && has_nan(var->vartype));
  if (!is_integer(var->vartype) && var->vartype != DATEOID) return {met.lower, met.upper};
  return whole(met.lower, met.upper);
}

// A live column of a table, of a type that calls nobody's code.
void check_column(const RowScope* scope, const Var* var) {
  const QuerySource* source = source_of(scope, var);
  if (var->varattno == InvalidAttrNumber) {
    refuse_construct("a whole-row reference is", "Name the columns that you need.");
  }
  if (var->varattno < 0) {
    refuse_construct("a system column is", "Use the columns that the table declares.");
  }
  if (!is_own_type(var->vartype)) {
    refuse_construct("a column of a user-defined type or domain is",
                     "Use columns of built-in or enum types; the owner can add one of those.");
  }
  if (source->layer == NULL && is_virtual_column(source->relation, var->varattno)) {
    refuse_construct("a virtual generated column is",
                     "Its expression could fail on a row: use stored columns.");
  }
}

Expr* column_number(const ColumnDomain& domain, const Var* var) {
  Expr* number = as_float8((Expr*)copyObjectImpl(var));
  if (!domain.nan_is_middle || !has_nan(var->vartype)) return number;
  const double middle = std::midpoint(domain.lower, domain.upper);
  return call_dpmix(kWithoutNan, FLOAT8OID, list_make2(number, float8_constant(middle)));
}

const Expr* with_nan(const Expr* number) {
  const auto* call = IsA(number, FuncExpr) ? (const FuncExpr*)number : NULL;
  const char* name = call == NULL ? NULL : get_func_name(call->funcid);
  const bool wrapped =
      name != NULL && strcmp(name, kWithoutNan) == 0 && is_dpmix_function(call->funcid);
  return wrapped ? (const Expr*)linitial(call->args) : NULL;
}

Expr* counted_column(const RowScope* scope, const Var* var) {
  if (!has_nan(var->vartype)) return (Expr*)copyObjectImpl(var);
  const ColumnDomain domain = declared_domain(scope, var);
  return domain.nan_is_middle ? column_number(domain, var) : (Expr*)copyObjectImpl(var);
}

bool is_unlimited(const RowScope* scope, const Var* var) {
  return is_read(scope, var) && !is_bounded(scope, var, bounds_of(scope, var));
}

SafePart column_part(SafeCompiler* compiler, Var* var) {
  check_column(compiler->scope, var);
  const LayerColumn* made = layer_column(compiler->scope, var);
  if (made != NULL && made->computed()) return computed_column(compiler, var, made);
  SafePart part = plain_part((Expr*)copyObjectImpl(var));
  part.characters = characters_of(var);
  part.bytes = part.characters * MAX_MULTIBYTE_CHAR_LEN;
  const bool number = is_number(var->vartype);
  part.range.integral = is_integer(var->vartype) || var->vartype == DATEOID;
  if (var->vartype == TIMEOID) part.range = {0, SECS_PER_DAY};
  if (number && compiler->columns == ColumnsAs::counted) {
    Expr* counted = counted_column(compiler->scope, var);
    return IsA(counted, Var) ? part : number_part(counted, part.range);
  }
  const bool moment = follows_clock(var->vartype);
  if (compiler->bounded() && is_text(var->vartype)) {
    part.length = declared_length(compiler->scope, var);
  }
  if (!compiler->bounded() || (!number && !moment && var->vartype != INTERVALOID)) return part;
  const ColumnDomain domain = known_domain(compiler->scope, var);
  if (!is_bounded(compiler->scope, var, domain)) {
    explain_unbounded(compiler, var, domain);
    return part;
  }
  part.range = range_of(compiler->scope, var, domain);
  if (moment) part.value = clamped_moment(part.value, part.range);
  if (!number) return part;  // intervals are clamped where they become numbers
  return number_part(
      call_dpmix("total_clamp", FLOAT8OID,
                 list_make3(column_number(domain, var), float8_constant(part.range.lower),
                            float8_constant(part.range.upper))),
      part.range);
}

SafePart constant_part(const Const* constant) {
  if (!is_operand_type(constant->consttype)) {
    refuse_construct("a constant of a user-defined type or domain is",
                     "Use built-in and enum types.");
  }
  SafePart part = plain_part((Expr*)copyObjectImpl(constant));
  part.short_text = true;
  if (constant->constisnull) {
    part.characters = part.bytes = 0;
    part.range = point(0);  // what is computed from it is NULL
  } else if (is_number(constant->consttype)) {
    const double value = float8_of(constant);
    part.present = !std::isnan(value);
    if (part.present) part.range = point(value);
  } else if (is_in_time(constant->consttype)) {
    part.present = true;
    part.range = point(number_in_time(constant));
    if (constant->consttype == INTERVALOID) part.interval = shape_of(constant);
  } else if (constant->constlen == -1) {
    part.characters = part.bytes = VARSIZE_ANY_EXHDR(DatumGetPointer(constant->constvalue));
  }
  return part;
}

}  // namespace dpmix::pg
