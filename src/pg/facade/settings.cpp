#include "pg/facade/settings.hpp"

#include <cmath>
#include <cstdlib>

#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/query.hpp"

extern "C" {
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct RoleSetting {
  const char* name;
  char* value = NULL;
};
RoleSetting epsilon{"dpmix.epsilon"}, delta{"dpmix.delta"}, error{"dpmix.error"},
    keys{"dpmix.keys"}, max_groups{"dpmix.max_groups"}, max_rows{"dpmix.max_rows"},
    all_blocks{"dpmix.all_blocks"}, dry_run{"dpmix.dry_run"}, suppress{"dpmix.suppress"},
    intervals{"dpmix.intervals"}, group_rows{"dpmix.group_rows"},
    bounds{"dpmix.bounds_for_min_max"}, rows{"dpmix.rows"};

bool is_number(const char* text, double* number) {
  char* end;
  errno = 0;
  *number = strtod(text, &end);
  while (*end == ' ') end++;
  return end != text && *end == '\0' && errno == 0 && std::isfinite(*number);
}

bool check_number(char** value, double least, double most) {
  double number;
  if (**value != '\0' && (!is_number(*value, &number) || !(number >= least && number <= most))) {
    GUC_check_errdetail("It is a number from %g to %g, or empty.", least, most);
    return false;
  }
  return true;
}

bool check_epsilon(char** value, void**, GucSource) {
  return check_number(value, 1e-6, 1e7);
}
bool check_delta(char** value, void**, GucSource) {
  return check_number(value, 0, .5);
}
bool check_error(char** value, void**, GucSource) {
  return check_number(value, 1e-300, 1e300);
}
bool check_group_rows(char** value, void**, GucSource) {
  return check_number(value, 1, 1e12);
}
bool check_suppress(char** value, void**, GucSource) {
  return check_number(value, 1e-9, 1e9);
}
bool check_limit(char** value, void**, GucSource) {
  double number;
  if (is_number(*value, &number) && number != std::floor(number)) {
    GUC_check_errdetail("It is a whole number.");
    return false;
  }
  return check_number(value, 1, 1e6);
}
bool check_keys(char** value, void**, GucSource) {
  const bool known = strcmp(*value, "auto") == 0 || strcmp(*value, "declared") == 0 ||
                     strcmp(*value, "discover") == 0;
  if (**value != '\0' && !known) {
    GUC_check_errdetail("It is auto, declared or discover.");
    return false;
  }
  return true;
}
bool check_rows(char** value, void**, GucSource) {
  if (**value == '\0' || strcmp(*value, "synthetic") == 0 || strcmp(*value, "empty") == 0)
    return true;
  GUC_check_errdetail("It is 'synthetic', 'empty' or nothing.");
  return false;
}
bool check_switch(char** value, void**, GucSource) {
  bool on;
  if (!parse_bool(*value, &on)) {
    GUC_check_errdetail("It is on or off.");
    return false;
  }
  return true;
}

void define(RoleSetting* setting, const char* what, const char* initial, GucStringCheckHook check) {
  DefineCustomStringVariable(setting->name, what, NULL, &setting->value, initial, PGC_USERSET, 0,
                             check, NULL, NULL);
}

// NULL: not set by whom it counts for.
const char* said(const RoleSetting& setting) {
  if (setting.value == NULL || *setting.value == '\0') return NULL;
  return counts_for_current_user(setting.name) ? setting.value : NULL;
}

double number_said(const RoleSetting& setting, double otherwise) {
  const char* text = said(setting);
  return text != NULL ? strtod(text, NULL) : otherwise;
}

// The least of what several facades declare.
struct Declared {
  double epsilon = NAN, delta = NAN, most = NAN;
  const char* facade = NULL;  // the one that allows the least
};

Declared declared_by(const List* facades) {
  Declared declared;
  ListCell* cell;
  foreach (cell, facades) {
    const Oid view = lfirst_oid(cell);
    const Facade* facade = facade_of_view(view);
    if (facade == NULL) {  // it was one when the statement was planned
      refuse(ErrorCode::not_protected,
             psprintf("the table of facade %s is gone", qualified_name(view)),
             "It left its name, or was dropped, while the statement waited.", "Ask again.");
    }
    declared.epsilon = fmin(declared.epsilon, facade->default_epsilon);
    declared.delta = fmin(declared.delta, facade->default_delta);
    if (std::isnan(facade->max_epsilon) || declared.most <= facade->max_epsilon) continue;
    declared.most = facade->max_epsilon;
    declared.facade = get_rel_name(facade->view);
  }
  return declared;
}

bool is_on(const RoleSetting& setting) {
  bool on = false;
  const char* word = said(setting);
  return word != NULL && parse_bool(word, &on) && on;
}

constexpr double kMostEpsilon = 1e7;

}  // namespace

void plain_settings_init() {
  define(&epsilon, "Epsilon of each plain query over a facade.", "", check_epsilon);
  define(&delta, "Delta of each plain query over a facade.", "", check_delta);
  define(&error, "Instead of dpmix.epsilon: half width of the first 95% interval.", "",
         check_error);
  define(&group_rows,
         "Rows of a group that dpmix.error is meant for, of averages and ratios; empty: what the "
         "table's size says.",
         "", check_group_rows);
  define(&keys, "Groups of plain queries over facades: auto, declared or discover.", "",
         check_keys);
  define(&max_groups, "Groups in which rows of one privacy unit count, at most.", "", check_limit);
  define(&max_rows, "Rows of one privacy unit that count in full, instead of what owners declared.",
         "", check_limit);
  define(&dry_run, "Say what plain queries over facades would cost, and answer none.", "off",
         check_switch);
  define(&suppress,
         "Cells whose 95% interval is wider than this share of their size are NULL in the result.",
         "", check_suppress);
  define(&intervals, "Add the ends of intervals to the columns of a client's SELECT over a facade.",
         "off", check_switch);
  define(&bounds, "Whether min(x) and max(x) of a facade, asked alone, are its declared bounds.",
         "off", check_switch);
  define(&rows,
         "Rows of facades: 'synthetic' ones where there are some; 'empty': also under a condition.",
         "", check_rows);
  define(&all_blocks,
         "Whether plain queries that narrow to no blocks read and charge all up to now.", "off",
         check_switch);
}

double plain_suppressed_share() {
  return number_said(suppress, 0);
}

bool plain_intervals_wanted() {
  return is_on(intervals);
}

GroupsAsked plain_groups(const List* facades) {
  const double declared = declared_by(facades).delta;
  const char* word = said(keys);
  return {word == NULL ? KeysAsked::automatic : keys_named(word),
          number_said(delta, std::isnan(declared) ? 0 : declared) > 0};
}

namespace {

bool wants_rows(const char* kind) {
  const char* word = said(rows);
  return word != NULL && strcmp(word, kind) == 0;
}

}  // namespace

bool plain_synthetic_wanted() {
  return wants_rows("synthetic");
}

bool plain_no_rows_wanted() {
  return wants_rows("empty");
}

bool plain_bounds_wanted() {
  return is_on(bounds);
}

PlainTerms plain_terms(const List* facades) {
  const Declared declared = declared_by(facades);
  PlainTerms terms = {};
  terms.half_width = number_said(error, 0);
  terms.group_rows = number_said(group_rows, 0);
  const double most = std::isnan(declared.most) ? kMostEpsilon : declared.most;
  // An error that is set asks for as much as it takes.
  terms.epsilon = terms.half_width > 0
                      ? most
                      : number_said(epsilon, std::isnan(declared.epsilon) ? 0 : declared.epsilon);
  terms.delta = number_said(delta, std::isnan(declared.delta) ? 0 : declared.delta);
  terms.max_groups = (int)number_said(max_groups, 0);
  terms.max_rows = (int)number_said(max_rows, 0);
  terms.keys = plain_groups(facades).keys;
  terms.all_blocks = is_on(all_blocks);
  terms.dry_run = is_on(dry_run);
  terms.suppress = plain_suppressed_share();
  if (terms.epsilon <= 0) {
    refuse_argument("nothing says how much epsilon the query may cost",
                    "Neither dpmix.epsilon nor the facade's default_epsilon is set for this role.",
                    "SET dpmix.epsilon = 0.1, or ask the owner for "
                    "dpmix.expose(..., default_epsilon => ...).");
  }
  if (terms.epsilon > most) {
    refuse_argument(psprintf("epsilon %g is more than one query over %s may cost", terms.epsilon,
                             declared.facade),
                    psprintf("Its owner allows at most %g (max_epsilon_per_query).", most),
                    psprintf("SET dpmix.epsilon = %g or less.", most));
  }
  return terms;
}

}  // namespace dpmix::pg
