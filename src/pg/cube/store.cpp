#include "pg/cube/store.hpp"

#include <algorithm>

#include "core/query/cube_noise.hpp"
#include "pg/border/guard.hpp"
#include "pg/cube/request.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/release/stored.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr double kHalf = 0x1p32;  // sets are stored in two halves
constexpr double kMost = 1e6;     // the largest count, and the largest number of a kind

class Writer {
 public:
  explicit Writer(Size most)
      : number_((double*)MemoryContextAllocHuge(CurrentMemoryContext, most * sizeof(double))) {}
  void operator()(double number) { number_[count_++] = number; }
  double* numbers() const { return number_; }
  int count() const { return (int)count_; }

 private:
  double* number_;
  Size count_ = 0;
};

class Reader {
 public:
  explicit Reader(const PlainNumbers& packed)
      : at_(packed.number), end_(packed.number + packed.count) {}
  double operator()() {
    if (at_ == end_) elog(ERROR, "a stored cube is damaged");
    return *at_++;
  }
  int whole(double least, double most) {
    const double number = (*this)();
    if (!(number >= least && number <= most)) elog(ERROR, "a stored cube is damaged");
    return (int)number;
  }
  void end() const {
    if (at_ != end_) elog(ERROR, "a stored cube is damaged");
  }

 private:
  const double *at_, *end_;
};

const char* value_text(const KeyColumn& key, Datum value) {
  Oid output;
  bool varlena;
  getTypeOutputInfo(key.shown_type, &output, &varlena);
  return OidOutputFunctionCall(output, value);
}

const Aggregate* read_measure(Reader& read) {
  const Aggregate* row = aggregate_stored_as(read.whole(0, kMost));
  if (row == NULL || row->in_cubes.word == NULL) elog(ERROR, "a stored cube is damaged");
  return row;
}

QueryStatistic read_statistic(Reader& read, StatisticNoise* noise) {
  QueryStatistic made = {};
  made.kind = (StatisticKind)read.whole(0, kMost);
  if (!adds_over_groups(made.kind)) elog(ERROR, "a stored cube is damaged");
  made.lattice.origin = read();
  made.lattice.step = read();
  made.lattice.low = (int64)read();
  made.lattice.high = (int64)read();
  made.lower = read();
  made.upper = read();
  made.cells = 1;
  noise->law = {.family = Family::gaussian, .sensitivity = read(), .scale = read()};
  return made;
}

void read_sets(Reader& read, int sets, QueryGroups* groups) {
  QueryCube* cube = (QueryCube*)palloc0(sizeof(QueryCube));
  QuerySets* of = (QuerySets*)palloc0(sizeof(QuerySets));
  KeySet* keys = (KeySet*)palloc(sizeof(KeySet) * sets);
  int* first = (int*)palloc0(sizeof(int) * (sets + 1));
  double* stretch = (double*)palloc(sizeof(double) * sets);
  for (int i = 0; i < sets; i++) {
    const double low = read(), high = read();
    keys[i] = (KeySet)high * (KeySet)kHalf + (KeySet)low;
    stretch[i] = read();
    int cells = 1;
    for (int k = 0; k < groups->keys; k++) {
      if (keys[i] >> k & 1) cells *= groups->key[k].places();
    }
    first[i + 1] = first[i] + cells;
  }
  *of = {sets, keys, 0, NULL};
  cube->sets = of;
  cube->first = first;
  cube->stretch = stretch;
  groups->count = first[sets];
  groups->cube = cube;
  double* numbers = (double*)palloc(sizeof(double) * sets * 3);
  guard([&] {
    const CubeNoise noise = cube_noise(workload_of(groups), {stretch, (std::size_t)sets});
    std::ranges::copy(noise.precision, numbers);
    std::ranges::copy(noise.variance, numbers + sets);
    std::ranges::copy(noise.squares, numbers + 2 * sets);
    cube->least_stretch = std::ranges::min(noise.stretch);
  });
  cube->precision = numbers;
  cube->variance = numbers + sets;
  cube->squares = numbers + 2 * sets;
}

}  // namespace

void pack_cube(const PricedQuery& priced, const Int128* cells, PlainNumbers* numbers,
               PlainTexts* packed) {
  const QueryGroups* groups = priced.groups;
  const QueryCube* cube = groups->cube;
  const QueryStatistics* statistics = priced.statistics;
  const int keys = groups->keys, sets = cube->sets->count, measures = priced.shape->aggregates;
  const Size all = (Size)groups->count * statistics->cells;
  Writer put(5 + 3 * keys + 3 * sets + 4 * measures + 9 * statistics->count + all);
  int texts = measures;
  for (const double count : {keys, sets, measures, statistics->count, groups->count}) put(count);
  for (int k = 0; k < keys; k++) {
    put(groups->key[k].categories);
    put(groups->key[k].has_null);
    put(groups->key[k].others + groups->key[k].shows_others);
    texts += groups->key[k].categories + groups->key[k].shows_others;
  }
  for (int i = 0; i < sets; i++) {
    put((double)(cube->sets->keys[i] % (KeySet)kHalf));
    put((double)(cube->sets->keys[i] / (KeySet)kHalf));
    put(cube->stretch[i]);
  }
  for (int i = 0; i < measures; i++) {
    const AggregateParts& parts = statistics->parts[i];
    for (const int part :
         {priced.shape->aggregate[i].row->stored.given, parts.count, parts.sum, parts.squares}) {
      put(part);
    }
  }
  for (int i = 0; i < statistics->count; i++) {
    const QueryStatistic& statistic = statistics->statistic[i];
    const Lattice& lattice = statistic.lattice;
    for (const double number :
         {(double)(int)statistic.kind, lattice.origin, lattice.step, (double)lattice.low,
          (double)lattice.high, statistic.lower, statistic.upper, priced.noise[i].law.sensitivity,
          priced.noise[i].law.scale}) {
      put(number);
    }
  }
  for (Size i = 0; i < all; i++) put((double)cells[i]);
  *numbers = {put.numbers(), put.count()};
  *packed = {(const char**)palloc(sizeof(char*) * texts), 0};
  const char** measure = measure_names(priced);
  for (int i = 0; i < measures; i++) packed->text[packed->count++] = measure[i];
  for (int k = 0; k < keys; k++) {
    for (int i = 0; i < groups->key[k].categories; i++) {
      packed->text[packed->count++] = value_text(groups->key[k], groups->key[k].shown[i]);
    }
    if (!groups->key[k].shows_others) continue;
    packed->text[packed->count++] = value_text(groups->key[k], groups->key[k].shown_others);
  }
}

StoredCube unpack_cube(const PlainNumbers& numbers, const PlainTexts& texts,
                       const char* const* keys, int count) {
  Reader read(numbers);
  StoredCube made = {};
  (void)read.whole(count, count);
  const int sets = read.whole(1, kMost), measures = read.whole(1, texts.count),
            statistics = read.whole(1, kMost), groups = read.whole(1, numbers.count);
  made.key = (const char**)keys;
  made.measure = texts.text;
  made.groups = (QueryGroups*)palloc0(sizeof(QueryGroups));
  made.groups->keys = count;
  made.groups->key = (KeyColumn*)palloc0(sizeof(KeyColumn) * count);
  const char** text = texts.text + measures;
  for (int k = 0; k < count; k++) {
    KeyColumn& key = made.groups->key[k];
    key.categories = read.whole(0, texts.count - (int)(text - texts.text));
    key.has_null = read.whole(0, 1) != 0;
    const int others = read.whole(0, 2);
    key.others = others > 0;
    key.shows_others = others > 1;
    key.shown_type = TEXTOID;
    key.shown = (Datum*)palloc0(sizeof(Datum) * key.places());
    for (int i = 0; i < key.categories; i++) key.shown[i] = CStringGetTextDatum(*text++);
    if (key.shows_others) key.shown_others = CStringGetTextDatum(*text++);
  }
  if (text != texts.text + texts.count) elog(ERROR, "a stored cube is damaged");
  read_sets(read, sets, made.groups);
  if (made.groups->count != groups) elog(ERROR, "a stored cube is damaged");
  made.shape = (QueryShape*)palloc0(sizeof(QueryShape));
  made.shape->keys = count;
  made.shape->sets = made.groups->cube->sets;
  made.shape->aggregates = measures;
  made.shape->aggregate = (QueryAggregate*)palloc0(sizeof(QueryAggregate) * measures);
  made.statistics = (QueryStatistics*)palloc0(sizeof(QueryStatistics));
  made.statistics->count = made.statistics->cells = statistics;
  made.statistics->parts = (AggregateParts*)palloc0(sizeof(AggregateParts) * measures);
  for (int i = 0; i < measures; i++) {
    made.shape->aggregate[i].row = read_measure(read);
    made.shape->aggregate[i].name = texts.text[i];
    AggregateParts parts = {read.whole(-1, statistics - 1), -1, -1};
    parts.sum = read.whole(-1, statistics - 1);
    parts.squares = read.whole(-1, statistics - 1);
    made.statistics->parts[i] = parts;
  }
  made.statistics->statistic = (QueryStatistic*)palloc0(sizeof(QueryStatistic) * statistics);
  made.statistics->first = (int*)palloc(sizeof(int) * statistics);
  made.noise = (StatisticNoise*)palloc0(sizeof(StatisticNoise) * statistics);
  for (int i = 0; i < statistics; i++) {
    made.statistics->statistic[i] = read_statistic(read, &made.noise[i]);
    made.noise[i].draws = 1;
    made.statistics->first[i] = i;
  }
  made.cell = make_cells((Size)groups * statistics);
  for (Size i = 0; i < (Size)groups * statistics; i++) made.cell[i] = (Int128)read();
  read.end();
  return made;
}

StoredCube load_cube(const char* name) {
  const FoundRelease row = usable_release(name, "cube");
  return unpack_cube({row.model, row.model_size}, {(const char**)row.texts, row.text_count},
                     row.feature, row.features);
}

}  // namespace dpmix::pg
