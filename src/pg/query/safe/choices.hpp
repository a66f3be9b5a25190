// What chooses among values in row expressions: CASE, COALESCE, NULLIF, GREATEST, LEAST, and the
// label of an enum.
#pragma once

#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

// What compile returns while conditions, as analysed, are facts of the rows that a value is
// computed of, besides those of WHERE, and no others. In place: the scope may be that of a layer,
// which is more than a RowScope.
template <class Compile>
auto under_facts(const RowScope* scope, List* facts, const Compile& compile) {
  RowScope* own = const_cast<RowScope*>(scope);
  List* around = own->branch;
  own->branch = facts;
  const auto made = compile();
  own->branch = around;
  return made;
}

SafePart case_part(SafeCompiler* compiler, const CaseExpr* node);
SafePart tested_part(const SafeCompiler* compiler, const CaseTestExpr* node);
SafePart nullif_part(SafeCompiler* compiler, const OpExpr* node);
SafePart coalesce_part(SafeCompiler* compiler, const CoalesceExpr* node);
// False: it casts anything but a column of an enum type to text.
bool label_part(SafeCompiler* compiler, const CoerceViaIO* node, SafePart* made);
SafePart extreme_part(SafeCompiler* compiler, const MinMaxExpr* node);

}  // namespace dpmix::pg
