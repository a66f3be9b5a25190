#include "pg/release/passes.hpp"

#include "pg/border/fault.hpp"
#include "pg/ledger/charge.hpp"

namespace dpmix::pg {

Charged charge_release(const InProcess&, const Terms& terms, const char* parameters,
                       const Repricing* again) {
  ChargeRequest request = charge_request(terms);
  request.parameters = parameters;
  request.release = terms.name;
  request.repricing = again;
  const Charged charged(charge(request));
  DPMIX_FAULT(psprintf("%s.charged", terms.kind));
  return charged;
}

}  // namespace dpmix::pg
