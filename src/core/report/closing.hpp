// How the owner's page ends: a part to sign, and what its words mean.
#pragma once

#include "core/report/facts.hpp"
#include "core/report/html.hpp"

namespace dpmix {

Html report_sign_off(const ReportFacts& facts);
Html report_words();

}  // namespace dpmix
