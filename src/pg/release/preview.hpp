// What a release would take, asked of the function that makes it: called with a preview as its
// context it reads and checks its arguments, prices them, tells, and makes nothing (run.hpp).
#pragma once

#include "pg/border/callable.hpp"
#include "pg/ledger/previewed.hpp"
#include "pg/release/terms.hpp"

extern "C" {
#include "nodes/extensible.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct Preview {
  ExtensibleNode node;
  const PreviewRows* shown;     // NULL: the price alone is asked for
  const PeriodsAhead* periods;  // how many of these fit; NULL: how many of the same
  // What was found. Of a call: what it charges.
  double epsilon, delta;
  Outlook outlook;
  int tables;  // that pay
  int64* table;
};
Preview preview_into(const PreviewRows* shown, const PeriodsAhead* periods = NULL);

// The preview that a function which makes a release is asked for. NULL: it is called to make one.
Preview* preview_asked(FunctionCallInfo fcinfo);
void tell(Preview* preview, const Terms& terms);
void tell_table(Preview* preview, const ProtectedTable* table);  // one that pays

// A call as its function sees it, of which all arguments are there, and constants.
void with_call(const FuncExpr* call, Preview* preview, Callable<void(FunctionCallInfo)> body);
// Calls the function.
void ask(const FuncExpr* call, Preview* preview);

template <class Kind>
void preview_of(Preview* preview, const typename Kind::Call& call) {
  tell(preview, Kind::terms(call, Kind::plan(call)));
}

}  // namespace dpmix::pg
