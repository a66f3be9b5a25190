#include "pg/preview/preview.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/query/preview/preview.hpp"
#include "pg/release/preview.hpp"

extern "C" {
#include "utils/guc.h"

PG_FUNCTION_INFO_V1(dpmix_preview);
PG_FUNCTION_INFO_V1(dpmix_preview_under);
}

namespace dpmix::pg {
namespace {

enum Argument {
  kCall,
  kEpsilon,
  kDelta,
  kMechanism,
  kParams,
  kKeys,
  kMaxGroups,
  kAllBlocks,
  kGroupRows,
  kDetails,
  kMaxRows,
  kPath
};

// What says how a query is asked stands in the call, where that is a call.
void require_none_beside(FunctionCallInfo fcinfo, const ReleaseCall& call) {
  const ArrayType* params = PG_ARGISNULL(kParams) ? NULL : PG_GETARG_ARRAYTYPE_P(kParams);
  const char* beside = !PG_ARGISNULL(kEpsilon)                            ? "epsilon"
                       : float8_argument(fcinfo, kDelta).value_or(0) != 0 ? "delta"
                       : strcmp(text_argument(fcinfo, kMechanism, "auto"), "auto") != 0
                           ? "mechanism"
                       : params != NULL && ARR_NDIM(params) > 0                    ? "params"
                       : strcmp(text_argument(fcinfo, kKeys, "auto"), "auto") != 0 ? "keys"
                       : !PG_ARGISNULL(kMaxGroups)                                 ? "max_groups"
                       : !PG_ARGISNULL(kAllBlocks) && PG_GETARG_BOOL(kAllBlocks)   ? "all_blocks"
                       : !PG_ARGISNULL(kMaxRows)                                   ? "max_rows"
                       : !PG_ARGISNULL(kGroupRows) && call.kind->word != "query"   ? "group_rows"
                                                                                   : NULL;
  if (beside == NULL) return;
  const bool groups = strcmp(beside, "group_rows") == 0;
  refuse_argument(
      psprintf("%s is of a query, not of a call of dpmix.%s()", beside, call.kind->release.data()),
      groups ? "It is how many rows a group of a query has."
             : "The text is a call, with arguments of its own.",
      groups ? "Leave it out." : "Write it in the call, if it takes that.");
}

void preview(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, kCall);
  require_argument(fcinfo, kDetails);
  const PreviewRows out = {begin_rows(fcinfo), PG_GETARG_BOOL(kDetails)};
  std::optional<int64> group_rows;
  if (!PG_ARGISNULL(kGroupRows)) group_rows = PG_GETARG_INT64(kGroupRows);
  const ReleaseCall call = read_call(text_argument(fcinfo, kCall));
  if (call.call == NULL) return preview_query(query_call(fcinfo, kMaxRows), group_rows, out);
  require_none_beside(fcinfo, call);
  preview_call(call, group_rows, out);
}

}  // namespace

void preview_call(const ReleaseCall& call, std::optional<int64> group_rows,
                  const PreviewRows& out) {
  Preview preview = preview_into(&out);
  if (call.kind->word != "query") return ask(call.call, &preview);
  with_call(call.call, &preview, [&](FunctionCallInfo query) {
    constexpr int max_rows = 8;
    preview_query(query_call(query, max_rows), group_rows, out);
  });
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_preview(PG_FUNCTION_ARGS) {
  preview(fcinfo);
  return (Datum)0;
}

Datum dpmix_preview_under(PG_FUNCTION_ARGS) {
  require_argument(fcinfo, kPath);
  const int level = NewGUCNestLevel();
  set_for_now({"search_path", text_argument(fcinfo, kPath)});
  preview(fcinfo);
  AtEOXact_GUC(false, level);
  return (Datum)0;
}
