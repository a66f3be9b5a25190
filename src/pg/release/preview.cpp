#include "pg/release/preview.hpp"

extern "C" {
#include "executor/executor.h"
#include "nodes/execnodes.h"
}

namespace dpmix::pg {
namespace {

constexpr char kPreview[] = "dpmix.preview";  // known by its address

}  // namespace

Preview preview_into(const PreviewRows* shown, const PeriodsAhead* periods) {
  Preview preview = {};
  preview.node.type = T_ExtensibleNode;
  preview.node.extnodename = kPreview;
  preview.shown = shown;
  preview.periods = periods;
  return preview;
}

Preview* preview_asked(FunctionCallInfo fcinfo) {
  Node* context = (Node*)fcinfo->context;
  if (context == NULL || !IsA(context, ExtensibleNode)) return NULL;
  return ((ExtensibleNode*)context)->extnodename == kPreview ? (Preview*)context : NULL;
}

void tell_table(Preview* preview, const ProtectedTable* table) {
  const Size size = sizeof(int64) * (Size)(preview->tables + 1);
  preview->table = (int64*)(preview->table == NULL ? palloc(size) : repalloc(preview->table, size));
  preview->table[preview->tables++] = table->id;
}

void tell(Preview* preview, const Terms& terms) {
  const ChargeRequests all = charge_requests(terms);
  for (int i = 0; i < all.count; i++) {
    const ChargeRequest& request = all.request[i];
    tell_table(preview, request.table);
    for (int j = 0; j < request.other_count; j++) tell_table(preview, request.others[j]);
  }
  preview->epsilon = terms.epsilon;
  preview->delta = terms.delta;
  preview->outlook = outlook_of(terms, preview->periods);
  if (preview->shown == NULL) return;
  add_previewed(*preview->shown,
                {.statistic = terms.counted,
                 .mechanism = terms.mechanism,
                 .epsilon = terms.epsilon,
                 .delta = terms.delta,
                 .stddev = terms.count_stddev,
                 .mu = terms.mu},
                preview->outlook);
}

void with_call(const FuncExpr* call, Preview* preview, Callable<void(FunctionCallInfo)> body) {
  FmgrInfo function;
  fmgr_info(call->funcid, &function);
  fmgr_info_set_expr((Node*)call, &function);
  // Rows that it would make have a place, where none comes.
  ReturnSetInfo rows = {};
  rows.type = T_ReturnSetInfo;
  rows.econtext = CreateStandaloneExprContext();
  rows.allowedModes = SFRM_Materialize;
  LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
  InitFunctionCallInfoData(*fcinfo, &function, list_length(call->args), InvalidOid, (Node*)preview,
                           (Node*)&rows);
  for (int i = 0; i < fcinfo->nargs; i++) {
    const Const* argument = list_nth_node(Const, call->args, i);
    fcinfo->args[i] = {argument->constvalue, argument->constisnull};
  }
  body(fcinfo);
  if (rows.setResult != NULL) tuplestore_end(rows.setResult);
  FreeExprContext(rows.econtext, true);
}

void ask(const FuncExpr* call, Preview* preview) {
  with_call(call, preview, [](FunctionCallInfo fcinfo) { (void)FunctionCallInvoke(fcinfo); });
}

}  // namespace dpmix::pg
