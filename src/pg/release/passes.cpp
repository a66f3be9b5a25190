#include "pg/release/passes.hpp"

#include "pg/border/fault.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/charge_texts.hpp"

namespace dpmix::pg {
namespace {

// What rows are made of stands before what a kind says of them.
const char* with_source(const char* parameters, const Terms& terms, const ChargeRequest& request) {
  if (terms.source == NULL) return parameters;
  StringInfoData rest;
  initStringInfo(&rest);
  append_other_tables(&rest, request);
  appendStringInfoString(&rest, parameters + 1);
  return with_clipped_text("source", terms.source, rest.data);
}

}  // namespace

// First those that will refuse it, so that a refusal that can be foreseen leaves all budgets as
// they are.
Charged charge_release(const InProcess&, const Terms& terms, const char* parameters,
                       const Repricing* again) {
  const ChargeRequests all = charge_requests(terms);
  int64* charged = (int64*)palloc0(sizeof(int64) * all.count);
  const auto charge_one = [&](int i) {
    ChargeRequest request = all.request[i];
    request.parameters = with_source(parameters, terms, request);
    request.release = terms.name;
    request.repricing = again;
    charged[i] = charge(request);
  };
  for (int i = 0; all.count > 1 && i < all.count; i++) {
    if (outlook_of(all.request[i]).calls == 0) charge_one(i);
  }
  for (int i = 0; i < all.count; i++) {
    if (charged[i] == 0) charge_one(i);
  }
  DPMIX_FAULT(psprintf("%s.charged", terms.kind));
  return Charged(charged[0]);
}

}  // namespace dpmix::pg
