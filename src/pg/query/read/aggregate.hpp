// The aggregates of private queries: a row each, in a file of pg/query/aggregates. Whatever depends
// on which aggregate is asked for asks its row: names, lists and sentences are made of rows too.
//
// A row is listed by being there. Members without a default are those that no aggregate can do
// without: the compiler names what a row lacks. test/server/query/aggregates compares the rows with
// the SQL objects, with what is documented, and with the numbers that are stored.
#pragma once

#include <initializer_list>
#include <optional>

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix {

struct NoiseInterval;
struct RatioForm;

}  // namespace dpmix

namespace dpmix::pg {

struct AggregateParts;
struct AnswerSource;
struct AskedStatistics;
struct EndReach;
struct NoisyAnswer;
enum class ReleasedEnd;

enum class Takes {  // what is in its parentheses
  rows,             // *
  value,            // a value of any type
  distinct,         // values of any type, each counted once
  number,
  pair,   // two numbers: x, y
  line,   // y, x: as PostgreSQL has them where one is told from the other
  share,  // a number, and a constant between 0 and 1
  edges,  // a number, and a constant list of bounds of cells
};

// How an aggregate of PostgreSQL's is made of a private one.
enum class Made {
  plain,            // it is that
  sample_variance,  // times n / (n - 1)
  sample_stddev,    // times the root of that
  ordered,          // WITHIN GROUP (ORDER BY x), for a share or each of a list of shares
  of_y,             // over y of pairs, where x is there
  of_x,
  total_of_y,  // of_y times the number of pairs
  total_of_x,
  total,   // times the number of pairs
  square,  // times itself
};

struct PlainName {
  const char* name = NULL;
  Made made = Made::plain;
  const char* that_is = NULL;  // how the private one differs, for hints
};

class PlainNames {
 public:
  constexpr PlainNames(std::initializer_list<PlainName> names = {}) {
    for (const PlainName& name : names) name_[count_++] = name;
  }
  const PlainName* begin() const { return name_; }
  const PlainName* end() const { return name_ + count_; }

 private:
  PlainName name_[6];
  int count_ = 0;
};

struct CubeMeasure {
  const char* word = NULL;  // its name in dpmix.release_cube(); NULL: cubes have no such measure
  int place = 0;            // its place in sentences
};

// A member that must be given: it has no default.
template <class Member>
struct Required {
  Member given;
  constexpr Required(Member member) : given(member) {}
  constexpr operator Member() const { return given; }
};

struct Aggregate;

struct AggregateRow {
  Required<const char*> name;  // dp_stddev
  // Its number in stored cubes, part of their format. A number never changes, and is never used
  // again, even where its aggregate is gone. Lists go by it, too: the oldest comes first.
  Required<int> stored;
  Required<Takes> takes;
  Required<Oid> type;  // int8, float8, or int8[]: a count for each cell
  // Adds what it is made of to the statistics of the query.
  Required<AggregateParts (*)(const AskedStatistics& asked)> statistics;
  Required<Datum (*)(const NoisyAnswer& noisy)> answer;  // a value of its type
  // Its interval; NULL: it is an array, whose ends are arrays.
  Required<NoiseInterval (*)(const NoisyAnswer& noisy, const EndReach& reach)> interval;
  Datum (*ends)(const NoisyAnswer& noisy, const EndReach& reach, ReleasedEnd end) = NULL;
  // The reach, before the charge, of an aggregate with cells; NULL: it is that of its statistics.
  EndReach (*reach)(const AnswerSource& source, double level) = NULL;
  // The aggregate as a ratio of linear forms, for intervals of expressions; in guard(). NULL: it is
  // none.
  std::optional<RatioForm> (*form)(const AnswerSource& source) = NULL;
  // What the bounds allow its answer to be, if it is divided by a count; NULL: anything. Answers
  // mean little where their intervals are wider than half of it.
  NoiseInterval (*range)(const AnswerSource& source) = NULL;
  bool shows_held = true;  // whether it is said where noise put an answer at an end of the range
  // What its interval were if it were not held within the range; NULL: not known.
  NoiseInterval (*unheld)(const NoisyAnswer& noisy, const EndReach& reach) = NULL;

  bool cuts_column = false;  // cuts its column into cells; all columns together have so many
  bool in_counters = false;  // steps of a counter add up to it
  CubeMeasure in_cubes = {};
  PlainNames plain = {};            // its names in plain SQL
  const char* plain_text = NULL;    // these in sentences; NULL: they are not named there
  bool suggested = true;            // to callers of an aggregate that has no private version
  const Aggregate* same_as = NULL;  // the aggregate that this is with the share below
  double share = 0;

  bool is_number() const { return ends == NULL; }
  bool counts() const;  // rows: it has a value of no row, too
};

struct Aggregate : AggregateRow {
  explicit Aggregate(const AggregateRow& row);  // lists it
  Aggregate(const Aggregate&) = delete;
  const Aggregate* next;
};

const Aggregate* first_aggregate();                             // the first by its number
const Aggregate* aggregate_named(const char* name, bool rows);  // rows: of (*); NULL: there is none
const Aggregate* aggregate_stored_as(int number);               // NULL: there is none
struct PlainAggregate {
  const Aggregate* of;  // NULL: it has no private version
  PlainName name;
};
PlainAggregate private_version(const char* plain);  // plain: an aggregate of PostgreSQL's

const char* call_text(const Aggregate* aggregate);  // dp_covar(x, y)
// The texts as a list, each once: "a, b and c", where last is " and ".
const char* listed_texts(const List* texts, const char* last);
// dp_ names of rows that are such.
const char* listed_names(bool (*such)(const Aggregate& row), const char* last);

}  // namespace dpmix::pg
