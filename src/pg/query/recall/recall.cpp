#include "pg/query/recall/recall.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/sums.hpp"
#include "pg/memory/settings.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/recall/canonical.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

// Statistics of the same exact numbers each time, whose draws make one answer.
bool may_combine(const PricedQuery* priced) {
  const bool draws_rows =
      priced->shape->joined.sampled && (priced->weighing == NULL || priced->weighing->draws);
  if (draws_rows || priced->groups->discovered || priced->groups->cube != NULL ||
      priced->question != NULL || priced->moving != NULL || priced->plan.drawn != Drawn::none) {
    return false;
  }
  for (int i = 0; i < priced->prices; i++) {
    if (priced->price[i].table->accountant == Accountant::basic) return false;
  }
  return true;
}

Digest key_of_statistic(const PricedQuery* priced, const Recall& recalled, int i,
                        const uint8* groups) {
  StringInfoData text;
  initStringInfo(&text);
  appendBinaryStringInfo(&text, (const char*)recalled.query.bytes, kDigestBytes);
  if (groups != NULL) appendBinaryStringInfo(&text, (const char*)groups, kGroupsIdBytes);
  append_canonical_statistic(&text, priced, i, recalled.question);
  return keyed_digest(recalled.terms, text.data, (Size)text.len);
}

// Draws of one statistic, from first up to end: the most precise chain; of equal ones the newest.
void choose_chain(const PricedQuery* priced, const StoredDraws& draws, int first, int end,
                  Size content, StatisticRecall* chosen) {
  const bool combines = may_combine(priced);
  chosen->draw = (const StoredDraw**)palloc(sizeof(StoredDraw*) * (end - first + 1));
  for (int from = first; from < end;) {
    int to = from + 1;
    while (combines && to < end && draws.draw[to].chain == draws.draw[from].chain &&
           draws.draw[from].law.family == Family::gaussian &&
           draws.draw[to].law.family == Family::gaussian) {
      to++;
    }
    double precision = 0;
    bool whole = true;
    for (int i = from; i < to; i++) {
      precision += guard([&] { return precision_of_law(draws.draw[i].law); });
      whole = whole && draws.draw[i].size == content;
    }
    if (whole && precision >= chosen->stored) {
      chosen->stored = precision;
      chosen->draws = to - from;
      for (int i = from; i < to; i++) chosen->draw[i - from] = &draws.draw[i];
    }
    from = to;
  }
}

void read_statistics(const PricedQuery* priced, int64 groups, const Readable& readable,
                     bool contents, Recall* recalled) {
  const int count = priced->statistics->count;
  const StoredDraws draws = read_draws(recalled->key, count, readable, contents);
  recalled->statistic = (StatisticRecall*)palloc0(sizeof(StatisticRecall) * count);
  for (int i = 0, from = 0; i < count; i++) {
    int end = from;
    while (end < draws.count && draws.draw[end].key == i) end++;
    const Size content = sizeof(Int128) * groups * priced->statistics->statistic[i].cells;
    choose_chain(priced, draws, from, end, content, &recalled->statistic[i]);
    from = end;
  }
}

// Whether a new draw may join what is there. Trees are fitted to noise of one draw a level.
bool can_join(const PricedQuery* priced, int i, const StatisticRecall& there) {
  if (there.draws == 0) return true;
  return there.draw[0]->law.family == Family::gaussian &&
         priced->statistics->statistic[i].kind != StatisticKind::tree;
}

// The draws that are missing, and their price; false: all is charged as if nothing were there.
bool plan_difference(const PricedQuery* priced, Recall* recalled) {
  if (!may_combine(priced) || priced->plan.family != Family::gaussian) return false;
  const int count = priced->statistics->count;
  bool any = false;
  for (int i = 0; i < count; i++) {
    StatisticRecall& there = recalled->statistic[i];
    if (there.new_deviation > 0 && !can_join(priced, i, there)) {
      if (priced->statistics->statistic[i].kind == StatisticKind::tree) return false;
      there.draws = 0;
      there.stored = 0;
    }
    any = any || there.draws > 0;
  }
  if (!any) return false;
  recalled->plan = (QueryPlan*)palloc(sizeof(QueryPlan) * priced->prices);
  return guard([&] {
    std::vector<double> stored;
    for (int i = 0; i < count; i++) stored.push_back(recalled->statistic[i].stored);
    const std::span shifts(priced->shift, stored.size());
    const auto made = plan_upgrade(priced->plan, filter_of(priced->table).accounting(), shifts,
                                   {priced->noise, stored.size()}, stored, priced->joint);
    if (!made) return false;
    const double mu = recalled->mu = mu_of_draws(shifts, made->deviation, priced->joint);
    for (int i = 0; i < priced->prices; i++) {
      recalled->plan[i] = made->plan;
      price_upgrade(filter_of(priced->price[i].table).accounting(), mu, recalled->plan[i]);
    }
    for (std::size_t i = 0; i < stored.size(); i++) {
      recalled->statistic[i].new_deviation = made->deviation[i];
      recalled->statistic[i].weight = made->weight[i];
    }
    return true;
  });
}

void miss(const PricedQuery* priced, Recall* recalled) {
  recalled->verdict = Remembered::miss;
  recalled->plan = NULL;
  const int count = priced->statistics->count;
  recalled->statistic = (StatisticRecall*)palloc0(sizeof(StatisticRecall) * count);
  for (int i = 0; i < count; i++) {
    recalled->statistic[i].new_deviation = priced->noise[i].law.scale;
    recalled->statistic[i].weight = priced->noise[i].weight;
  }
}

void decide(const PricedQuery* priced, Recall* recalled) {
  bool hit = true;
  for (int i = 0; i < priced->statistics->count; i++) {
    StatisticRecall& there = recalled->statistic[i];
    const double wanted = guard([&] { return precision_of_law(priced->noise[i].law); });
    there.new_deviation = missing_deviation(there.stored, wanted);
    hit = hit && there.draws > 0 && there.new_deviation == 0;
  }
  if (hit) {
    recalled->verdict = Remembered::hit;
    return;
  }
  if (plan_difference(priced, recalled)) {
    recalled->verdict = Remembered::upgrade;
  } else {
    miss(priced, recalled);
  }
}

// The set of groups that was found from as few units on as these would be, and all of whose
// statistics are precise enough: the newest.
void recall_found(const PricedQuery* priced, const Readable& readable, bool contents,
                  Recall* recalled) {
  const Digest key = key_of_found_groups(recalled->terms, recalled->query);
  const StoredDraws sets = read_draws(&key, 1, readable, true);
  for (int i = sets.count - 1; i >= 0; i--) {
    FoundGroups found = read_found_groups(priced, sets.draw[i]);
    if (!found.known) continue;
    find_keys(priced, found.id, recalled);
    read_statistics(priced, found.count, readable, contents, recalled);
    decide(priced, recalled);
    if (recalled->verdict == Remembered::hit) {
      recalled->found = found;
      return;
    }
  }
  miss(priced, recalled);
}

// Answers from tables by other keys, whose draws stand for those of the statistics.
void derive(const PricedQuery* priced, const Readable& readable, bool contents, Recall* recalled) {
  recalled->derived = derive_answer(priced, recalled->terms, readable, contents);
  if (recalled->derived == NULL) return;
  recalled->verdict = Remembered::derived;
  recalled->plan = NULL;
  const int count = priced->statistics->count;
  recalled->statistic = (StatisticRecall*)palloc0(sizeof(StatisticRecall) * count);
  for (int i = 0; i < count; i++) {
    recalled->statistic[i].draws = recalled->derived->draws[i].count;
    recalled->statistic[i].draw = recalled->derived->draws[i].draw;
  }
}

bool fits(const PricedQuery* priced) {
  if (priced->groups->discovered) return true;  // nobody knows
  return answer_bytes(priced->groups, priced->statistics) <= answer_limit_bytes();
}

// What the draws that are looked at have for the query.
Recall recall_from(const PricedQuery* priced, const Readable& readable, bool contents,
                   Recall made) {
  if (priced->groups->discovered) {
    recall_found(priced, readable, contents, &made);
    return made;
  }
  find_keys(priced, NULL, &made);
  if (priced->kept.name != NULL) {  // a new one each time
    miss(priced, &made);
    return made;
  }
  read_statistics(priced, priced->groups->count, readable, contents, &made);
  decide(priced, &made);
  if (made.verdict != Remembered::hit && may_derive(priced, made.question)) {
    derive(priced, readable, contents, &made);
  }
  return made;
}

// What others paid, and the caller's role was not shown yet, counts against its cap. Where that is
// too much, it is as if these answers were not there.
bool is_beyond_cap(const PricedQuery* priced, const Recall& recalled) {
  if (!recalled.terms.shared || recalled.verdict == Remembered::miss) return false;
  for (int i = 0; i < priced->prices; i++) {
    const ProtectedTable* table = priced->price[i].table;
    int count;
    const int64* charges = charges_of(priced, recalled, table, &count);
    Sums unseen;
    const QueryPlan* plan = recalled.plan != NULL ? &recalled.plan[i] : NULL;
    const PlannedCharge charge =
        plan == NULL ? PlannedCharge{}
                     : PlannedCharge{plan->epsilon, plan->delta, plan->has_own ? &plan->own : NULL};
    if (unseen_sums(table, charges, count, &unseen) && !leaves_cap(table, unseen, charge)) {
      return true;
    }
  }
  return false;
}

Oid* roles_that_see(const ProtectedTable** tables, int count) {
  Oid* roles = (Oid*)palloc(sizeof(Oid) * count);
  for (int i = 0; i < count; i++) roles[i] = tables[i]->granted_to;
  return roles;
}

}  // namespace

const char* name(Remembered verdict) {
  switch (verdict) {
    case Remembered::miss:
      return "miss";
    case Remembered::upgrade:
      return "upgrade";
    case Remembered::derived:
      return "derived";
    case Remembered::hit:
      return "hit";
    case Remembered::nothing:
      return "nothing";
  }
  return NULL;
}

void find_keys(const PricedQuery* priced, const uint8* groups, Recall* recalled) {
  const int count = priced->statistics->count;
  recalled->key = (Digest*)palloc(sizeof(Digest) * count);
  for (int i = 0; i < count; i++) {
    recalled->key[i] = key_of_statistic(priced, *recalled, i, groups);
  }
}

double answer_bytes(const QueryGroups* groups, const QueryStatistics* statistics) {
  return (double)sizeof(Int128) * groups->count * released_cells(statistics);
}

Recall recall(const PricedQuery* priced, bool contents) {
  Recall made = {};
  const ProtectedTable** tables;
  const int count = protected_tables(priced->scope.sources, &tables);
  made.terms = memory_terms(tables, count);
  // The owner of a public table could plant answers for the grants of others.
  made.terms.shared = made.terms.shared && !has_public_table_of_others(priced->scope.sources);
  made.keeps = made.terms.keep_seconds > 0 && fits(priced);
  made.at = GetCurrentTimestamp();
  if (!made.keeps || priced->groups->none) {
    miss(priced, &made);
    if (priced->groups->none) made.verdict = Remembered::nothing;
    return made;
  }
  made.question = priced->moving != NULL ? canonical_question(priced->moving) : priced->question;
  const StringInfoData text = canonical_query(priced, made.terms, made.question);
  made.query = keyed_digest(made.terms, text.data, (Size)text.len);
  Readable readable = {Min(made.terms.keep_seconds, asked_age_seconds())};
  const Recall all = recall_from(priced, readable, contents, made);
  if (!is_beyond_cap(priced, all)) return all;
  readable.tables = count;
  readable.seen_by = roles_that_see(tables, count);
  return recall_from(priced, readable, contents, made);
}

int64* charges_of(const PricedQuery* priced, const Recall& recalled, const ProtectedTable* of,
                  int* count) {
  const ProtectedTable** tables;
  const int all = protected_tables(priced->scope.sources, &tables);
  const int table = (int)(std::find(tables, tables + all, of) - tables);
  int most = 1;
  for (int i = 0; i < priced->statistics->count; i++) most += recalled.statistic[i].draws;
  int64* charges = (int64*)palloc(sizeof(int64) * most);
  *count = 0;
  for (int i = 0; i < priced->statistics->count; i++) {
    const StatisticRecall& there = recalled.statistic[i];
    for (int d = 0; d < there.draws; d++) {
      if (table >= there.draw[d]->charges) continue;
      const int64 charge = there.draw[d]->charge[table];
      bool known = false;
      for (int c = 0; c < *count; c++) known = known || charges[c] == charge;
      if (!known) charges[(*count)++] = charge;
    }
  }
  return charges;
}

List* sight_lines(const PricedQuery* priced, const Recall& recalled) {
  List* lines = NIL;
  if (!recalled.terms.shared || recalled.verdict == Remembered::miss) return lines;
  for (int i = 0; i < priced->prices; i++) {
    const ProtectedTable* table = priced->price[i].table;
    int count;
    const int64* charges = charges_of(priced, recalled, table, &count);
    Sums unseen;
    if (!unseen_sums(table, charges, count, &unseen)) continue;
    lines = lappend(
        lines, psprintf("what others paid would count epsilon %s for role %s on %s", unseen.part[0],
                        GetUserNameFromId(table->granted_to, false), table->name));
  }
  return lines;
}

}  // namespace dpmix::pg
