// The lists of the owner's page, a section each; empty where there is nothing to list.
#pragma once

#include "core/report/facts.hpp"
#include "core/report/html.hpp"

namespace dpmix {

Html report_grants(const ReportFacts& facts);    // who may ask, and what they used
Html report_releases(const ReportFacts& facts);  // the newest one by one, older ones by month
Html report_models(const ReportFacts& facts);
Html report_schedules(const ReportFacts& facts);
Html report_columns(const ReportFacts& facts);  // bounds and categories
Html report_history(const ReportFacts& facts);  // of the budget and of the ledger

}  // namespace dpmix
