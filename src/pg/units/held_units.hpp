// Protected tables held in memory of the process, the rows of each privacy unit together: what
// reads them is run for one unit after the other, and sees the rows of no other one.
//
// These come in an order that is a function of the rows' values alone, so that whatever is computed
// of them is a function of the bag of a unit's rows (docs/proofs/people.md). Rows without a unit
// are left out. Of a unit with very many rows so many count as public numbers say
// (core/query/unit_rows).
#pragma once

#include <span>

#include "core/query/unit_rows.hpp"
#include "pg/units/belonging.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct HeldUnits;
struct SilentScan;
struct GroupedValues;

// Nothing yet. Lasts as long as the current memory context.
HeldUnits* hold_no_units();

// Its place among the held tables. condition: on its rows, as the only table of a query; NULL: all
// of them. rows: that a unit has there, as the owner says; of a public table, that it has. PV002:
// the unit is of another type than that of those before.
int hold_units_of(HeldUnits* held, Oid relation, Oid owner, const UnitOfRow& unit, Expr* condition,
                  double rows);
// Columns that are read; others are NULL. All of them are known before plan_held_units().
void read_column_of(HeldUnits* held, int table, AttrNumber column);

// Nobody wants rows that fail a condition, on columns of table 1: of a table that others are linked
// to all are held. Before plan_held_units().
void hold_only(HeldUnits* held, int table, Expr* condition);

// Of the only table, a protected one whose unit is its own column, these values of each unit are
// held in place of its rows. Before plan_held_units().
void hold_groups(HeldUnits* held, const GroupedValues* values);

// Before the charge: plans the reading of each table. Where they do not fit dpmix.scan_memory, they
// are read in shares of the units, if what is computed of shares can be put together (may_share);
// PV005 where it cannot. PV002 where no path is known that shows no rows. NULL: nothing to do.
void plan_held_units(HeldUnits* held, bool may_share);
// What a plan over them holds of one unit's rows while it is at work. NULL: nothing.
void need_rows_at_work(const HeldUnits* held, const SilentScan* scan);
int shares_of(const HeldUnits* held);  // NULL: 1
// Reads a share in place of the one before, each in its turn; after the charge, within the silence
// of a scan. NULL: nothing to do.
void read_held_units(HeldUnits* held, int share);

// What is held of the share at work.
TupleDesc columns_held(const HeldUnits* held, int table);
double usual_rows(const HeldUnits* held, int table);
bool is_public_table(const HeldUnits* held, int table);
uint32 units_held(const HeldUnits* held);
// MinimalTuples, of a public table those of unit 0.
std::span<const UnitRows::Row> rows_held(const HeldUnits* held, int table, uint32 unit);

}  // namespace dpmix::pg
