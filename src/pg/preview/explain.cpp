#include "pg/preview/explain.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/explained.hpp"
#include "pg/preview/preview.hpp"

namespace dpmix::pg {
namespace {

List* lines_of(const WrittenCall& written) {
  FuncExpr* call = (FuncExpr*)copyObjectImpl(written.call);
  if (complete_call(call) != 0) {
    return list_make1((void*)"its price depends on values that are known when it runs");
  }
  PreviewTexts texts = {};
  const PreviewRows out = {.rows = {}, .details = false, .texts = &texts};
  preview_call({written.kind, call, NULL}, std::nullopt, out);
  if (texts.outlook.calls == kForEver) return lappend(texts.lines, (void*)"in memory: free");
  const char* price = psprintf("would take %.3g%% of the budget; " INT64_FORMAT " such calls fit",
                               100 * texts.outlook.share, texts.outlook.calls);
  return lappend(texts.lines, (void*)price);
}

ExplainOneQuery_hook_type explain_before = NULL;

void explain(Query* query, int options, IntoClause* into, ExplainState* state, const char* text,
             ParamListInfo parameters, QueryEnvironment* environment) {
  const WrittenCall written = state->analyze ? WrittenCall{} : release_in(query);
  List* lines = written.kind != NULL ? lines_of(written) : NIL;  // the planner scribbles on it
  if (explain_before != NULL) {
    explain_before(query, options, into, state, text, parameters, environment);
  } else {
    explain_one_query(query, options, into, state, text, parameters, environment);
  }
  if (lines != NIL) explain_lines("Private Release", lines, state);
}

}  // namespace

void preview_explain_init() {
  explain_before = ExplainOneQuery_hook;
  ExplainOneQuery_hook = explain;
}

}  // namespace dpmix::pg
