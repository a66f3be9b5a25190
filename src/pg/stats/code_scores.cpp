// code_scores(class, x, packed): a row as class_moments takes it, where its values are seen by
// their ranks.
#include "core/stats/code_scores.hpp"

#include "pg/border/context_object.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_code_scores);
}

namespace dpmix::pg {
namespace {

struct Scores {
  const CodeScores* scores;  // lives as long as the context
};

void make_scores(std::span<const double> packed, MemoryContext context, Scores* made) {
  CodeScores scores = CodeScores::unpack_front(packed);
  postgres([&] {
    MemoryContext outer = MemoryContextSwitchTo(context);
    made->scores = context_object<CodeScores>([&] { return new CodeScores(std::move(scores)); });
    MemoryContextSwitchTo(outer);
  });
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_code_scores(PG_FUNCTION_ARGS) {  // strict
  const auto* made = packed_argument<Scores>(fcinfo, 2, "code_scores", make_scores);
  const CodeScores& scores = *made->scores;
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(1), scores.columns());
  const int32 k = PG_GETARG_INT32(0);
  if (x == nullptr || k < 0 || k >= scores.classes()) PG_RETURN_NULL();
  ArrayType* row = new_row(scores.columns());
  scores.look_up(k, {x, static_cast<std::size_t>(scores.columns())}, numbers_of_row(row));
  PG_RETURN_POINTER(row);
}
