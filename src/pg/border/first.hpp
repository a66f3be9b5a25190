// Headers of PostgreSQL that have a word which core has, too: Cost. Where several files are compiled
// as one, they come before any of these says `using namespace dpmix`.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
}
