// Grants on views: who has one may ask the tables below, in texts, through that view alone.
//
// A grant on a view is a grant on each table that it reads, confined to views
// (dpmix.access.confined). open_any() admits it for tables of a text: every text is looked at here
// as it is analysed, for the user who asks, before views and facades become what they stand for.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// PV006: a protected table that the user has confined grants on alone is named as such, by a
// facade, or through views of which none was granted. Of a query as PostgreSQL analysed it.
void require_granted_views(Query* query);

}  // namespace dpmix::pg
