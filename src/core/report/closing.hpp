// How the owner's page ends: a part to sign, and what its words mean.
#pragma once

#include "core/report/html.hpp"

namespace dpmix {

Html report_sign_off();
Html report_words();

}  // namespace dpmix
