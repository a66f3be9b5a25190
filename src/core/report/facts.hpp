// What the owner's page is about: views of memory that belongs to the caller.
//
// Texts are UTF-8, or any bytes. Times are texts as they are to be shown, all in one time zone.
// Empty: none, unknown. Lists are cut by the caller; what they leave out is counted beside them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dpmix {

struct ReportedBudget {  // newest first
  std::string_view at, epsilon, delta, role, reason;
};

struct ReportedGrant {
  bool owner;   // the charges that need no grant
  bool active;  // else revoked, or its role was dropped
  std::string_view role, cap, last_charge;
  std::string_view limits;      // of a single charge, and of their rate
  std::string_view charged_by;  // roles that charged through it, the busiest first
  std::int64_t charges;
  double epsilon, delta;
};

struct ReportedNoise {
  std::string_view statistic, scale;
};

struct ReportedCharge {  // newest first
  std::int64_t id;
  std::string_view at, role, granted_to, kind, mechanism, release;
  std::string_view text;  // of a query; of other kinds what they were made of
  double epsilon, delta;
  std::span<const ReportedNoise> noise;
};

struct ReportedMonth {  // newest first
  std::string_view month;
  std::int64_t charges, queries, models, tables, others;
  double epsilon, delta;
};

struct ReportedModel {  // newest first
  std::string_view name, at, maker, method, features, label, quality;
  std::int64_t components;
  double epsilon, delta;
};

struct ReportedColumn {
  std::string_view name, type, lower, upper, categories;  // the first of them
  std::int64_t count;                                     // of the categories
  std::string_view quantum;  // to which constants in time are rounded; empty: they are not
};

struct ReportedSchedule {
  std::string_view name, owner, kind, period, result, last_due, last_state;
  double epsilon, delta;       // of each period
  std::int64_t stored, spent;  // periods with a stored release; attempts charged without one
  bool active;                 // else paused
};

struct ReportedAdoption {  // newest first
  std::string_view at, role, reason;
};

struct ReportedExposure {  // sentences: what, and why
  std::string_view what, shows;
};

struct ReportedForecast {
  std::string_view since, runs_out_at, caution, limited_by;
  std::int64_t charges, charges_left;
  double days_left, epsilon_per_day;  // infinite: not at this pace
  double days;                        // that the charges were made in
};

// What a table with a budget for each block has. The column empty: it has none.
struct ReportedBlocks {
  std::string_view column, width;
  std::string_view fullest;    // which the sums and gauges are of; empty: none was charged
  double least_share;          // spent of any block that was charged
  bool gaussian;               // all charges were of Gaussian noise alone
  bool of_population = false;  // its blocks, and one more of what is in none; column may be empty
  bool any() const { return of_population || !column.empty(); }
};

// A table of a population, whose page is of all of its tables.
struct ReportedTable {
  std::string_view name, unit, through;  // through empty: unit is a column
  std::int64_t rows_per_unit, charges;
  bool active;
};

struct ReportFacts {
  std::string_view table, database, version, made_at, time_zone;
  bool active;  // still protected
  bool past;    // the page is of an earlier moment than that of its making
  std::string_view adjacency, accountant, privacy_unit, label;  // privacy_unit empty: a row, or
  std::string_view
      unit_through;  // the table that a row's unit is found through; empty: there is none
  std::string_view
      population;     // whose budget, charges and grants these are; empty: the table's own
  int rows_per_unit;  // the most of any table
  std::span<const ReportedTable> tables;  // empty: the page is of one table
  std::int64_t unit_updates;              // statements that updated the unit's column
  std::string_view readers;               // who may read the rows without dpmix
  std::span<const ReportedExposure> exposures;
  std::string_view since;  // when it was first protected
  // The budget in force; the largest epsilon and delta it ever had; what was spent, as the decimals
  // and gauges of dpmix.budget.
  double epsilon, delta, largest_epsilon, largest_delta;
  double epsilon_spent, epsilon_declared, delta_declared, share_spent;
  std::int64_t charges;
  std::int64_t newest_receipt;    // the charge that it is of
  std::string_view receipt_hash;  // empty: there is none
  double order;                   // of `renyi`
  ReportedBlocks blocks;
  ReportedForecast forecast;
  std::string_view picture;  // an SVG document that this library drew; empty: none
  std::span<const ReportedGrant> grants;
  std::span<const ReportedCharge> newest;
  std::span<const ReportedMonth> months;  // of the charges older than these
  std::span<const ReportedModel> models;
  std::span<const ReportedSchedule> schedules;
  std::span<const ReportedColumn> columns;
  std::span<const ReportedBudget> budgets;
  std::span<const ReportedAdoption> adoptions;
  std::int64_t grants_left, models_left, schedules_left, columns_left, budgets_left, adoptions_left;
};

}  // namespace dpmix
