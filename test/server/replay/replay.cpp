// The replay audit within the server: linked into build/replay/dpmix.so only.
//
// The driver (replay.py) writes the file dpmix_replay/run of the server's data folder:
//
//   SEED OUT [IN]       each release adds its meetings of integers and noise to OUT
//                       with IN: what comes of each is what came of it as IN was written
//   hide RELATION CTID  a row that scans leave out
//   break WHAT          a mistake that the audit must find
//
// The process of a release reads it as it takes an order. Numbers are written in full: hexadecimal
// doubles, decimal integers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "core/base/int128.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/keys/public_values.hpp"
#include "pg/query/price/priced.hpp"
#include "test/server/replay/hooks.hpp"
#include "test/server/replay/meeting.hpp"

extern "C" {
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::replay {
namespace {

constexpr char kRun[] = "dpmix_replay/run";
// Of a group that nobody saw before: not shown, whatever finds it.
constexpr Int128 kNotShown = -(Int128{1} << 62);

struct Audit {
  std::uint64_t seed = 0;
  std::FILE* out = nullptr;
  bool replays = false;
  std::deque<std::vector<Int128>> results;                               // in their order
  std::map<std::string, std::deque<std::vector<Int128>>> found_results;  // of groups by their keys
  std::map<std::uint32_t, std::set<std::string>> hidden;                 // by relation
  std::set<std::string> broken;
  std::uint64_t streams = 0;
  std::optional<RandomStream> noise;
  std::int64_t mixed_block = -1;                         // of DP-CDA
  std::map<std::uint64_t, std::uint64_t> equal_records;  // in this block, by their hashes
  std::map<std::uint32_t, std::uint64_t> held;           // hashes of who has which number
  std::string place = "-";                               // what meets noise now
  bool found = false;                                    // it is a group that was found
};
Audit* audit = nullptr;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

RandomStream::Key key_of(std::uint64_t seed, std::uint64_t number) {
  RandomStream::Key key;
  std::uint64_t word = mixed(seed) ^ mixed(~number);
  for (std::size_t i = 0; i < key.size(); i += sizeof word) {
    word = mixed(word + i);
    std::memcpy(key.data() + i, &word, sizeof word);
  }
  return key;
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0;
  for (const char c : text) hash = mixed(hash ^ static_cast<unsigned char>(c));
  return hash;
}

// "PLACE LAW | integers | integers": what comes last. False: it is another line.
bool read_meeting(const std::string& line, std::string* place, std::vector<Int128>* result) {
  const std::size_t first = line.find(" | "), last = line.rfind(" | ");
  if (line.rfind("meet ", 0) != 0 || first == last) return false;
  std::istringstream words(line.substr(5));
  words >> *place;
  std::istringstream numbers(line.substr(last + 3));
  for (std::string number; numbers >> number;) result->push_back(*parse_int128(number));
  return true;
}

// Each line of a file; none if it is not there.
template <class See>
void read_lines(const char* path, const See& see) {
  std::FILE* in = std::fopen(path, "r");
  if (in == nullptr) return;
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, in) >= 0) see(std::string(line));
  std::free(line);
  std::fclose(in);
}

// How many releases are written down.
std::uint64_t releases_in(const char* path) {
  std::uint64_t count = 0;
  read_lines(path, [&](const std::string& line) { count += line == "end\n"; });
  return count;
}

// The results of the release that has this number.
void read_results(Audit* of, const char* path, std::uint64_t number) {
  std::uint64_t before = 0;
  read_lines(path, [&](const std::string& line) {
    std::string place;
    std::vector<Int128> result;
    before += line == "end\n";
    if (before != number || !read_meeting(line, &place, &result)) return;
    if (place.rfind("found:", 0) == 0) {
      of->found_results[place].push_back(result);
    } else {
      of->results.push_back(result);
    }
  });
}

void end_audit() {
  if (audit == nullptr) return;
  std::fputs("end\n", audit->out);
  std::fclose(audit->out);
  delete audit;
  audit = nullptr;
}

void begin_audit() {
  end_audit();
  std::FILE* run = std::fopen(kRun, "r");
  if (run == nullptr) return;
  auto made = std::make_unique<Audit>();
  char line[4096], word[256], out[256], in[256] = "";
  unsigned long long seed = 0;
  if (std::fgets(line, sizeof line, run) != nullptr) {
    (void)std::sscanf(line, "%llu %255s %255s", &seed, out, in);
  }
  const std::uint64_t number = releases_in(out);
  made->seed = seed + number;
  while (std::fgets(line, sizeof line, run) != nullptr) {
    unsigned relation = 0;
    if (std::sscanf(line, "hide %u %255s", &relation, word) == 2) {
      made->hidden[relation].insert(word);
    }
    if (std::sscanf(line, "break %255s", word) == 1) made->broken.insert(word);
  }
  std::fclose(run);
  made->replays = in[0] != '\0';
  if (made->replays) read_results(made.get(), in, number);
  made->out = std::fopen(out, "a");
  if (made->out == nullptr) throw std::runtime_error("no file for the record");
  made->noise.emplace(key_of(seed, ~std::uint64_t{0}));
  audit = made.release();
}

bool is_broken(const char* what) {
  return audit->broken.count(what) != 0;
}

void write_numbers(const std::vector<Int128>& numbers) {
  std::fputs(" |", audit->out);
  for (const Int128 number : numbers) std::fprintf(audit->out, " %s", to_string(number).c_str());
}

}  // namespace

bool at_work() {
  return audit != nullptr;
}

std::string word(const char* name, std::initializer_list<double> numbers) {
  std::string all = name;
  for (const double number : numbers) {
    char text[64];
    std::snprintf(text, sizeof text, " %a", number);
    all += text;
  }
  return all;
}

std::vector<Int128> meet(const std::string& law, const std::vector<Int128>& exact,
                         const Make& make) {
  std::vector<Int128> result;
  if (!audit->replays) {
    result = make(*audit->noise);
  } else if (audit->found) {
    auto& before = audit->found_results[audit->place];
    if (before.empty()) {
      result.push_back(law.rfind("coin", 0) == 0 ? 0 : kNotShown);
    } else {
      result = before.front();
      before.pop_front();
    }
  } else if (is_broken("unfrozen") && audit->results.size() == 1) {
    result = exact;
    audit->results.pop_front();
  } else if (audit->results.empty()) {
    std::fputs("more meetings than were recorded\n", audit->out);
    result = make(*audit->noise);
  } else {
    result = audit->results.front();
    audit->results.pop_front();
  }
  std::fprintf(audit->out, "meet %s %s", audit->place.c_str(), law.c_str());
  write_numbers(exact);
  write_numbers(result);
  std::fputs("\n", audit->out);
  if (is_broken("branch") && exact.front() % 2 != 0)
    std::fputs("a step for odd counts\n", audit->out);
  return result;
}

std::uint64_t draws_of_record(int k, std::int64_t first, std::span<const std::int32_t> record) {
  if (first != audit->mixed_block) audit->equal_records.clear();
  audit->mixed_block = first;
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(k));
  for (const std::int32_t number : record) hash = mixed(hash ^ static_cast<std::uint32_t>(number));
  return mixed(hash ^ audit->equal_records[hash]++ ^ audit->seed);
}

bool joins(std::uint64_t draws, std::int64_t row, double exponent) {
  const std::uint64_t word = mixed(draws ^ mixed(static_cast<std::uint64_t>(row)));
  return static_cast<double>(word >> 11) * 0x1p-53 >= std::exp(-exponent);
}

void see_row(std::int64_t row) {
  if (audit != nullptr) audit->place = "row:" + std::to_string(row);
}

void see_norm(double norm) {
  if (audit != nullptr) std::fprintf(audit->out, "norm %a\n", norm);
}

bool fixed_key(RandomStream::Key& key) {
  if (audit == nullptr) return false;
  key = key_of(audit->seed, audit->streams++);
  return true;
}

void see_statistic(int number) {
  if (audit != nullptr) audit->place = std::to_string(number);
}

namespace {

// Addresses in this process's memory stand in plans as constants.
std::string without_addresses(std::string plan) {
  const std::string internal = ":consttype " + std::to_string(INTERNALOID);
  for (std::size_t at = 0; (at = plan.find(internal, at)) != std::string::npos;) {
    const std::size_t value = plan.find(":constvalue", at), end = plan.find('}', value);
    plan.erase(value, end - value);
    at = value;
  }
  return plan;
}

void hide_rows(Plan* plan, const List* tables) {
  if (plan == NULL) return;
  if (IsA(plan, SeqScan)) {
    const Index number = ((const Scan*)plan)->scanrelid;
    const auto* table = (const RangeTblEntry*)list_nth(tables, (int)number - 1);
    const auto found = audit->hidden.find(table->relid);
    if (found == audit->hidden.end()) return;
    for (const std::string& row : found->second) {
      constexpr Oid differs = 402;  // of row addresses
      Var* address = makeVar(number, SelfItemPointerAttributeNumber, TIDOID, -1, InvalidOid, 0);
      Const* hidden =
          makeConst(TIDOID, -1, InvalidOid, sizeof(ItemPointerData),
                    DirectFunctionCall1(tidin, CStringGetDatum(row.c_str())), false, false);
      OpExpr* shown = (OpExpr*)make_opclause(differs, BOOLOID, false, (Expr*)address, (Expr*)hidden,
                                             InvalidOid, InvalidOid);
      shown->opfuncid = get_opcode(differs);
      plan->qual = lcons(shown, plan->qual);
    }
    return;
  }
  if (IsA(plan, SubqueryScan)) hide_rows(((SubqueryScan*)plan)->subplan, tables);
  if (IsA(plan, Append)) {
    ListCell* cell;
    foreach (cell, ((Append*)plan)->appendplans) hide_rows((Plan*)lfirst(cell), tables);
  }
  hide_rows(plan->lefttree, tables);
  hide_rows(plan->righttree, tables);
}

}  // namespace

PlannedStmt* seen_plan(PlannedStmt* plan) {
  if (audit == nullptr) return plan;
  const std::string text = without_addresses(nodeToString(plan));
  std::fprintf(audit->out, "plan %016llx%s\n", static_cast<unsigned long long>(hash_of(text)),
               plan->parallelModeNeeded ? " parallel" : "");
  if (audit->hidden.empty()) return plan;
  PlannedStmt* copy = (PlannedStmt*)copyObjectImpl(plan);
  hide_rows(copy->planTree, copy->rtable);
  return copy;
}

void see_query(const pg::PricedQuery* priced) {
  if (audit == nullptr) return;
  const GroupSearch& search = priced->plan.search;
  std::fprintf(audit->out, "search %s%s\n",
               search.kind == SearchKind::none ? "none" : std::string(name(search.kind)).c_str(),
               word("", {static_cast<double>(search.groups), search.each_epsilon, search.each_delta,
                         search.deviation, search.shown_from,
                         static_cast<double>(search.weight_bits), static_cast<double>(search.keys)})
                   .c_str());
  for (int i = 0; i < priced->statistics->count; i++) {
    const StatisticShift& shift = priced->shift[i];
    const StatisticNoise& noise = priced->noise[i];
    std::fprintf(audit->out, "statistic %d %s%s\n", i, std::string(name(noise.law.family)).c_str(),
                 word("", {noise.law.scale, shift.each, shift.l1, shift.l2,
                           static_cast<double>(shift.groups), noise.epsilon, noise.delta,
                           static_cast<double>(noise.fine_bits), noise.range,
                           static_cast<double>(noise.steps), static_cast<double>(shift.pieces)})
                     .c_str());
  }
}

std::uint64_t UnitDraws::below(std::uint64_t bound) {
  std::uint64_t& state = states_[now_];
  state = mixed(state);
  return static_cast<std::uint64_t>(static_cast<UInt128>(state) * bound >> 64);
}

UnitDraws& unit_draws() {
  static UnitDraws draws;
  return draws;
}

void begin_units() {
  unit_draws() = {};
}

void see_held(std::uint32_t unit, std::uint64_t hash) {
  if (audit != nullptr) audit->held[unit] = hash;
}

void see_unit(std::uint32_t unit, std::uint64_t hash, std::uint64_t value) {
  if (audit != nullptr && !audit->held.empty()) {
    hash = audit->held.at(static_cast<std::uint32_t>(value));
  }
  auto& states = unit_draws().states_;
  states.resize(std::max<std::size_t>(states.size(), unit + std::size_t{1}));
  states[unit] = mixed(hash ^ (audit != nullptr ? audit->seed : 0));
}

void see_group(std::uint32_t group, std::uint64_t hash) {
  auto& groups = unit_draws().groups_;
  groups.resize(std::max<std::size_t>(groups.size(), group + std::size_t{1}));
  groups[group] = hash;
}

void see_found(const pg::QueryGroups* groups, const Datum* values, const bool* nulls,
               RandomStream** random) {
  if (audit == nullptr) return;
  audit->found = groups != NULL;
  audit->place = "-";
  if (groups == NULL) return;
  std::string text;
  for (int k = 0; k < groups->keys; k++) {
    const pg::KeyColumn* key = &groups->key[k];
    Datum shown = values[k];
    if (nulls[k] || (key->found && !pg::shown_key(key, values[k], &shown))) {
      text += "|null";
      continue;
    }
    if (!key->found) {
      text += "|" + std::to_string(DatumGetInt32(shown));
      continue;
    }
    Oid output;
    bool varlena;
    getTypeOutputInfo(key->shown_type, &output, &varlena);
    text += std::string("|") + OidOutputFunctionCall(output, shown);
  }
  for (int k = 0; groups->tells_nulls && k < groups->keys; k++) {
    text += pg::has_null_bit(values[groups->keys], k) ? "|null" : "|";
  }
  char place[32];
  std::snprintf(place, sizeof place, "found:%016llx",
                static_cast<unsigned long long>(hash_of(text)));
  audit->place = place;
  *random = pg::context_object<RandomStream>(
      [&] { return new RandomStream(key_of(audit->seed, hash_of(text))); });
}

}  // namespace dpmix::replay

namespace dpmix::pg {

// The places for faults tell when a release begins and when it is made.
void fault(const char* place) {
  if (strcmp(place, "release.taken") == 0) replay::begin_audit();
  if (strcmp(place, "release.made") == 0) replay::end_audit();
}

void garble(const char*, char*, const char**, size_t*) {}

}  // namespace dpmix::pg
