// What the people in the data are promised by the owner's page, and what they are not; of a
// population also which tables it is about.
#pragma once

#include "core/report/facts.hpp"
#include "core/report/html.hpp"

namespace dpmix {

Html report_tables(const ReportFacts& facts);  // empty of a page about one table
Html report_promise(const ReportFacts& facts);

}  // namespace dpmix
