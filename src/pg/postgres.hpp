// The only door to PostgreSQL's headers: C linkage is said once, here. Include C++ and core headers
// before this one: PostgreSQL's redefine names such as snprintf.
#pragma once

extern "C" {
#include "postgres.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}
