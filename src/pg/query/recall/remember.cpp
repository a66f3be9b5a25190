#include "pg/query/recall/remember.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/noise/lattice_moments.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/memory/settings.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/read/sources.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace dpmix::pg {
namespace {

// The deviations of all draws that make a statistic's answer: those remembered, then the new one.
std::vector<double> deviations_of(const StatisticRecall& there) {
  std::vector<double> deviations;
  for (int d = 0; d < there.draws; d++) deviations.push_back(there.draw[d]->law.scale);
  if (there.new_deviation > 0) deviations.push_back(there.new_deviation);
  return deviations;
}

int draws_of(const StatisticRecall& there) {
  return there.draws + (there.new_deviation > 0);
}

// The count of rows that an earlier draw of a count of values may have shared its noise with; -1:
// there is none.
int rows_beside(const QueryStatistics* statistics, int i) {
  if (statistics->statistic[i].kind != StatisticKind::values) return -1;
  for (int rows = 0; rows < statistics->count; rows++) {
    const QueryStatistic& other = statistics->statistic[rows];
    if (other.kind == StatisticKind::rows && equal(other.filter, statistics->statistic[i].filter)) {
      return rows;
    }
  }
  return -1;
}

}  // namespace

AnswerNoise answer_noise(const PricedQuery* priced, const Recall& recalled) {
  const int count = priced->statistics->count;
  AnswerNoise noise = {(StatisticNoise*)palloc(sizeof(StatisticNoise) * count),
                       (StatisticNoise*)palloc(sizeof(StatisticNoise) * count)};
  for (int i = 0; i < count; i++) {
    const StatisticRecall& there = recalled.statistic[i];
    StatisticNoise& drawn = noise.drawn[i] = priced->noise[i];
    StatisticNoise& shown = noise.shown[i] = priced->noise[i];
    drawn.law.scale = there.new_deviation;
    drawn.weight = there.weight;
    if (there.draws == 0) continue;
    shown.law = there.draw[0]->law;
    shown.draws = draws_of(there);
    shown.rows = rows_beside(priced->statistics, i);
    shown.weight = shown.rows >= 0 ? 1 : 0;             // at most
    if (shown.draws > 1 && recalled.derived == NULL) {  // else a reach of its own weighs them
      shown.law.scale = guard([&] { return combined_deviation(deviations_of(there)); });
    }
  }
  return noise;
}

struct AnswerCells {
  const QueryStatistics* statistics;
  const StatisticRecall* statistic;
  double** weight;  // those of each statistic's draws; NULL: there is one
};

AnswerCells* answer_cells(const PricedQuery* priced, const Recall& recalled) {
  const int count = priced->statistics->count;
  AnswerCells* made = (AnswerCells*)palloc(sizeof(AnswerCells));
  *made = {priced->statistics, recalled.statistic, (double**)palloc0(sizeof(double*) * count)};
  for (int i = 0; i < count; i++) {
    const StatisticRecall& there = recalled.statistic[i];
    if (draws_of(there) <= 1) continue;
    double* weight = made->weight[i] = (double*)palloc(sizeof(double) * draws_of(there));
    guard([&] {
      const std::vector<double> weights = answer_weights(deviations_of(there));
      std::copy(weights.begin(), weights.end(), weight);
    });
  }
  return made;
}

void combine_cells(AnswerCells* answer, int64 number, Int128* cells) {
  for (int i = 0; i < answer->statistics->count; i++) {
    const StatisticRecall& there = answer->statistic[i];
    if (there.draws == 0) continue;
    const int width = answer->statistics->statistic[i].cells;
    Int128* cell = cells + answer->statistics->first[i];
    for (int c = 0; c < width; c++) {
      const auto stored = [&](int d) {
        Int128 value;
        memcpy((void*)&value, there.draw[d]->content + sizeof value * (number * width + c),
               sizeof value);
        return value;
      };
      if (answer->weight[i] == NULL) {
        cell[c] = stored(0);
        continue;
      }
      cell[c] = guard([&] {
        std::vector<Int128> draws;
        for (int d = 0; d < there.draws; d++) draws.push_back(stored(d));
        if (there.new_deviation > 0) draws.push_back(cell[c]);
        return combined_answer(draws, {answer->weight[i], draws.size()});
      });
    }
  }
}

struct Keeping {
  const QueryStatistics* statistics;
  const QueryGroups* groups;
  MemoryContext memory;  // the order's
  MemoryTerms terms;
  int64 count;          // groups so far
  StringInfo found;     // keys of groups that were discovered; NULL: declared ones
  StringInfo tables;    // what grouping sets are tables of; NULL: nothing is derived from them
  StringInfo* content;  // each statistic's; NULL: not drawn
  Size bytes;           // the size of all content
  NewDraw* draw;        // each statistic's, then that of the groups
};

namespace {

bool is_kept(const Keeping* keeping, int i) {
  return keeping->content[i] != NULL;
}

NewDraw draw_of(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                int i) {
  const QueryStatistic* statistic = &priced->statistics->statistic[i];
  const StatisticRecall& there = recalled.statistic[i];
  const NoiseLaw& law = noise.drawn[i].law;
  NewDraw draw = {};
  draw.key = recalled.key[i];
  draw.chain = there.draws > 0 ? there.draw[0]->chain : recalled.at;
  draw.at = recalled.at;
  draw.statistic = pstrdup(statistic->text);
  draw.mechanism = noise.drawn[i].range > 0 ? "exponential" : name(law.family).data();
  draw.noise_stddev = guard([&] { return lattice_moments(law, 1).stddev; }) * statistic->step();
  draw.law = law;
  return draw;
}

void begin_found(const PricedQuery* priced, Recall* recalled, Keeping* keeping) {
  uint8 id[kGroupsIdBytes];
  if (!pg_strong_random(id, sizeof id)) elog(ERROR, "could not generate a random number");
  find_keys(priced, id, recalled);
  keeping->found = makeStringInfo();
  *keeping->found = begin_found_groups(priced, id);
  NewDraw& draw = keeping->draw[priced->statistics->count];
  draw.key = key_of_found_groups(recalled->terms, recalled->query);
  draw.chain = draw.at = recalled->at;
  draw.statistic = "groups found";
  draw.mechanism = name(priced->plan.search.kind).data();
}

void begin_tables(const PricedQuery* priced, const Recall& recalled, Keeping* keeping) {
  keeping->tables = put_kept_cube(priced, recalled.terms, recalled.key);
  NewDraw& draw = keeping->draw[priced->statistics->count];
  draw.key = key_of_kept_cubes(priced, recalled.terms);
  draw.chain = draw.at = recalled.at;
  draw.statistic = "tables by keys";
  draw.mechanism = name(Family::gaussian).data();
}

// The charge of each protected table, in the order of FROM; those of one account have one charge.
int64* charges_by_table(const PricedQuery* priced, const int64* charges) {
  const ProtectedTable** tables;
  const int count = protected_tables(priced->scope.sources, &tables);
  int64* paid = (int64*)palloc(sizeof(int64) * count);
  for (int t = 0; t < count; t++) {
    for (int i = 0; i < priced->prices; i++) {
      const TablePrice& price = priced->price[i];
      bool pays = price.table == tables[t];
      for (int o = 0; o < price.other_count; o++) pays = pays || price.others[o] == tables[t];
      if (pays) paid[t] = charges[i];
    }
  }
  return paid;
}

// Called in the transaction that comes after the release.
void write_kept(void* what) {
  const Keeping* keeping = (const Keeping*)what;
  NewDraw* draws = (NewDraw*)palloc(sizeof(NewDraw) * (keeping->statistics->count + 1));
  int count = 0;
  for (int i = 0; i < keeping->statistics->count; i++) {
    if (is_kept(keeping, i)) draws[count++] = keeping->draw[i];
  }
  if (keeping->found != NULL || keeping->tables != NULL) {
    draws[count++] = keeping->draw[keeping->statistics->count];
  }
  // Where nothing may wait for a counter, rows of memory may still be cleaned up.
  set_for_now({"track_counts", "on"}, PGC_SUSET);
  write_draws(keeping->terms, draws, count);
  DPMIX_FAULT("query.kept");
}

// A copy of what the transaction's memory has, which ends before it is written.
QueryStatistics* copied_sizes(const QueryStatistics* statistics) {
  QueryStatistics* copy = (QueryStatistics*)palloc0(sizeof(QueryStatistics));
  copy->count = statistics->count;
  copy->statistic = (QueryStatistic*)palloc0(sizeof(QueryStatistic) * statistics->count);
  copy->first = (int*)palloc(sizeof(int) * statistics->count);
  for (int i = 0; i < statistics->count; i++) {
    copy->statistic[i].cells = statistics->statistic[i].cells;
    copy->first[i] = statistics->first[i];
  }
  return copy;
}

MemoryTerms copied(const MemoryTerms& terms) {
  MemoryTerms copy = terms;
  copy.table = (TableTerms*)palloc(sizeof(TableTerms) * terms.tables);
  for (int i = 0; i < terms.tables; i++) {
    copy.table[i] = terms.table[i];
    copy.table[i].grant = pstrdup(terms.table[i].grant);
  }
  return copy;
}

}  // namespace

Keeping* begin_keeping(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                       const int64* charges) {
  if (!recalled.keeps || order_memory() == NULL) return NULL;
  MemoryContext old = MemoryContextSwitchTo(order_memory());
  const int count = priced->statistics->count;
  Keeping* made = (Keeping*)palloc0(sizeof(Keeping));
  made->statistics = copied_sizes(priced->statistics);
  made->groups = priced->groups;
  made->memory = order_memory();
  made->terms = copied(recalled.terms);
  made->draw = (NewDraw*)palloc0(sizeof(NewDraw) * (count + 1));
  made->content = (StringInfo*)palloc0(sizeof(StringInfo) * count);
  Recall keyed = recalled;
  if (priced->groups->discovered) begin_found(priced, &keyed, made);
  if (tells_others(priced, recalled.question)) begin_tables(priced, recalled, made);
  const int64* paid = charges_by_table(priced, charges);
  const Digest holder = holder_of(recalled.terms);
  for (int i = 0; i < count; i++) {
    if (noise.drawn[i].law.scale == 0) continue;
    made->draw[i] = draw_of(priced, keyed, noise, i);
    made->content[i] = makeStringInfo();
  }
  for (int i = 0; i <= count; i++) {
    made->draw[i].holder = holder;
    made->draw[i].charge = paid;
  }
  MemoryContextSwitchTo(old);
  return made;
}

void keep_group(Keeping* keeping, const Datum* key, const bool* nulls, const Int128* cells) {
  if (keeping == NULL || keeping->bytes > answer_limit_bytes()) return;
  MemoryContext old = MemoryContextSwitchTo(keeping->memory);
  for (int k = 0; keeping->found != NULL && k < keeping->groups->keys; k++) {
    append_found_key(keeping->found, &keeping->groups->key[k], NullableDatum{key[k], nulls[k]});
  }
  keeping->bytes = keeping->found != NULL ? (Size)keeping->found->len : 0;
  for (int i = 0; i < keeping->statistics->count; i++) {
    if (!is_kept(keeping, i)) continue;
    appendBinaryStringInfo(keeping->content[i],
                           (const char*)(cells + keeping->statistics->first[i]),
                           (int)sizeof(Int128) * keeping->statistics->statistic[i].cells);
    keeping->bytes += (Size)keeping->content[i]->len;
  }
  keeping->count++;
  MemoryContextSwitchTo(old);
}

void end_keeping(Keeping* keeping) {
  if (keeping == NULL || keeping->bytes > answer_limit_bytes()) return;
  const int count = keeping->statistics->count;
  for (int i = 0; i <= count; i++) {
    const StringInfo content = i < count                ? keeping->content[i]
                               : keeping->found != NULL ? keeping->found
                                                        : keeping->tables;
    if (content == NULL) continue;
    if (content == keeping->found) end_found_groups(content, keeping->count);
    keeping->draw[i].content = content->data;
    keeping->draw[i].size = (Size)content->len;
    keeping->draw[i].groups = (int)keeping->count;
  }
  write_after_release(write_kept, keeping);
  const double room = (double)keeping->bytes + kItemBytes * (count + 1);
  if (room <= grant_limit_bytes() && shows_again(keeping->terms.keep_seconds)) note_kept();
}

}  // namespace dpmix::pg
