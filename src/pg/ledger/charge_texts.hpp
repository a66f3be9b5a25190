// Members of the JSON object that a charge keeps as its parameters.
#pragma once

#include "pg/ledger/request.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// "tables" and "table_ids": those of the request beside its first, as far as names have space;
// with a comma after them. None: nothing.
void append_other_tables(StringInfo json, const ChargeRequest& request);
// {"name": text, and the rest, which ends the object: text as far as kParameterBytes allow.
const char* with_clipped_text(const char* name, const char* text, const char* rest);

}  // namespace dpmix::pg
