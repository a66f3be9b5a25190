#include "pg/query/safe/columns.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "pg/catalog/relation.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "catalog/pg_type.h"
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
  const ProtectedTable* table = source_of(scope, var)->table;
  if (table == NULL) return {};  // public
  return column_domain(table, var->varattno);
}

void explain_unbounded(SafeCompiler* compiler, const Var* var) {
  if (compiler->unbounded != NULL) return;
  const char* name = column_text(compiler->scope, var);
  compiler->unbounded = psprintf("Column %s has no declared bounds.", name);
  compiler->instead = psprintf(
      "The owner declares them with dpmix.set_bounds; or state them in the query: "
      "least(greatest(%s, lower), upper).",
      name);
}

}  // namespace

bool is_operand_type(Oid type) {
  const Oid element = get_element_type(type);
  return is_own_type(OidIsValid(element) ? element : type);
}

ValueInterval range_of(const RowScope* scope, const Var* var, const ColumnDomain& domain) {
  const Bounds declared = {domain.lower, domain.upper};
  const Bounds met =
      bounds_met(scope->facts, var, declared, scope->open_ends,
                                 domain.nan_is_middle && has_nan(var->vartype));
  if (!is_integer(var->vartype) && var->vartype != DATEOID) return {met.lower, met.upper};
  return whole(met.lower, met.upper);
}

// A live column of a table, of a type that calls nobody's code.
void check_column(const RowScope* scope, const Var* var) {
  const Oid relation = source_of(scope, var)->relation;
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
  if (is_virtual_column(relation, var->varattno)) {
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

SafePart column_part(SafeCompiler* compiler, Var* var) {
  check_column(compiler->scope, var);
  SafePart part = plain_part((Expr*)copyObjectImpl(var));
  part.characters = characters_of(var);
  part.bytes = part.characters * MAX_MULTIBYTE_CHAR_LEN;
  const bool number = is_number(var->vartype);
  part.range.integral = is_integer(var->vartype) || var->vartype == DATEOID;
  if (number && compiler->columns == ColumnsAs::counted) {
    Expr* counted = counted_column(compiler->scope, var);
    return IsA(counted, Var) ? part : number_part(counted, part.range);
  }
  if (!compiler->bounded() || (!number && var->vartype != DATEOID)) return part;
  const ColumnDomain domain = declared_domain(compiler->scope, var);
  if (!domain.has_bounds) {
    explain_unbounded(compiler, var);
    return part;
  }
  part.range = range_of(compiler->scope, var, domain);
  if (!number) return part;  // dates are clamped where they become numbers
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
  } else if (is_number(constant->consttype) || constant->consttype == DATEOID) {
    const double value = float8_of(constant);
    part.present = !std::isnan(value);
    if (part.present) part.range = point(value);
  } else if (constant->constlen == -1) {
    part.characters = part.bytes = VARSIZE_ANY_EXHDR(DatumGetPointer(constant->constvalue));
  }
  return part;
}

}  // namespace dpmix::pg
