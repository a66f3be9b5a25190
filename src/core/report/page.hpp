// The owner's page about a protected table: what is promised, what is left, what was released and
// to whom, what was declared.
//
// Enters: what the ledger and the catalog say, none of it of the table's rows. Leaves: one static
// HTML document (html.hpp). The same facts give the same bytes. Free: all of it is public to the
// owner, and releases are post-processed.
#pragma once

#include <string>

#include "core/report/facts.hpp"

namespace dpmix {

std::string report_page(const ReportFacts& facts);

}  // namespace dpmix
