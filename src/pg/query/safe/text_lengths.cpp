#include "pg/query/safe/text_lengths.hpp"

#include <algorithm>

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/numbers.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

void explain_unbounded(const SafeCall* call) {
  SafeCompiler* compiler = call->compiler;
  const Node* text = call->argument[0];
  while (IsA(text, RelabelType)) text = (const Node*)((const RelabelType*)text)->arg;
  if (compiler->unbounded != NULL || !IsA(text, Var)) return;
  const char* name = column_text(compiler->scope, (const Var*)text);
  compiler->unbounded = psprintf("Column %s has no declared bounds of its length.", name);
  compiler->instead = psprintf(
      "The owner declares them with dpmix.set_bounds, in characters; or state one in the query: "
      "least(%s(%s), upper).",
      call->name, name);
}

}  // namespace

bool is_text(Oid type) {
  return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

ValueInterval counted_length(const SafePart* part) {
  return part->length.finite() ? part->length : ValueInterval{0, part->characters, true};
}

ValueInterval shorter(const ValueInterval& length, double most) {
  return {0, std::min(length.upper, most), true};
}

ValueInterval together(const ValueInterval& a, const ValueInterval& b) {
  return {a.lower + b.lower, a.upper + b.upper, true};
}

SafePart length_part(const SafeCall* call, int most) {
  SafePart part = same_call(call);
  const double certain = call->part[0].characters * most;
  part.range = {0, certain, true};
  if (!call->compiler->bounded()) return part;
  const ValueInterval length = counted_length(&call->part[0]);
  const ValueInterval range = {std::min(length.lower, certain),
                               std::min(length.upper * most, certain), true};
  if (!range.finite()) explain_unbounded(call);
  if (range == part.range) return part;
  return number_part(call_dpmix("total_clamp", FLOAT8OID,
                                list_make3(as_float8(part.value), float8_constant(range.lower),
                                           float8_constant(range.upper))),
                     range);
}

}  // namespace dpmix::pg
