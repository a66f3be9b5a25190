// The only door to PostgreSQL's headers: C linkage is said once, here. Their macros for functions
// of the C library end here too: a C++ header that comes later may say std::snprintf.
#pragma once

extern "C" {
#include "postgres.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#if __has_include("varatt.h")  // part of postgres.h before 16
#include "varatt.h"
#endif
}

#undef vsnprintf
#undef snprintf
#undef vsprintf
#undef sprintf
#undef vfprintf
#undef fprintf
#undef vprintf
#undef printf
#undef strerror
#undef strerror_r
// Macros where the server was built without translations.
#undef gettext
#undef dgettext
#undef ngettext
#undef dngettext
