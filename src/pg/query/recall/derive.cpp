#include "pg/query/recall/derive.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/cube/least_squares.hpp"
#include "core/cube/renumbering.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/recall/table_sources.hpp"

namespace dpmix::pg {
namespace {

// Adds the tables of a source, which are the sets from `first` on. In guard().
void add_tables(const TableSource& source, std::size_t first, CubeLeastSquares* fit) {
  const KeptCube& cube = source.match->cube;
  const char* at = source.draw->content;
  for (int s = 0; s < cube.sets; s++) {
    std::vector<int> size, number;
    std::size_t cells = 1;
    for (const int key : keys_of(cube.set[s])) {
      size.push_back(places_of(cube.key[key]));
      number.push_back(source.number[key]);
      cells *= (std::size_t)size.back();
    }
    std::vector<double> table(cells);
    for (double& cell : table) {
      Int128 stored;
      memcpy((void*)&stored, at, sizeof stored);
      at += sizeof stored;
      cell = (double)stored;
    }
    fit->add(first + (std::size_t)s, reordered(table, size, number));
  }
}

// Adds up the answers of one statistic. In guard().
void add_up(const PricedQuery* priced, const StatisticSources& of, int statistic,
            DerivedAnswer* answer) {
  const KeptCube& all = of.all.cube;
  const CubeWorkload workload = workload_of_kept(all);
  std::vector<double> precision;
  for (int s = 0; s < all.sets; s++) precision.push_back(1 / (all.stretch[s] * all.stretch[s]));
  CubeLeastSquares fit(workload, precision);
  std::size_t first = 0;
  for (int s = 0; s < of.count; s++) {
    add_tables(of.source[s], first, &fit);
    first += (std::size_t)of.source[s].match->cube.sets;
  }
  const int width = priced->statistics->count;
  for (int set = 0; set < sets_of(priced->groups); set++) {
    const CubeSelection selection = selection_of(priced, of.all, set);
    const auto centre = selected_sums(workload, selection, fit.marginal(selection.keys));
    const auto shown = selected_sums(workload, selection, fit.whole_marginal(selection.keys));
    answer->slack[set * width + statistic] =
        fit.slack_of_cell(selection.keys) * std::max(selection.cells(), 1.);
    const QueryCube* cube = priced->groups->cube;
    const int begin = cube != NULL ? cube->first[set] : 0;
    const int end = cube != NULL ? cube->first[set + 1] : priced->groups->count;
    for (int group = begin; group < end; group++) {
      const int64 number = cube != NULL ? group - begin : product_of(priced->groups, group);
      const std::size_t place = place_of(priced, of.all, selection, set, (std::size_t)number);
      constexpr double kMost = 0x1p112;  // the largest cell, as in CubeLeastSquares
      answer->shown[group * width + statistic] = shown[place];
      answer->centre[group * width + statistic] =
          (Int128)std::nearbyint(std::clamp(centre[place], -kMost, kMost));
    }
  }
}

bool is_one_of(const List* names, const char* name) {
  const ListCell* cell;
  foreach (cell, names) {
    if (strcmp((const char*)lfirst(cell), name) == 0) return true;
  }
  return false;
}

// release "a", release "b" and an earlier query
const char* tables_of(const StatisticSources* sources, int count) {
  List *names = NIL, *queries = NIL;  // queries: by their charges
  for (int i = 0; i < count; i++) {
    for (int s = 0; s < sources[i].count; s++) {
      const TableSource& source = sources[i].source[s];
      const bool named = *source.cube != '\0';
      char* name = named ? psprintf("release \"%s\"", source.cube)
                         : psprintf(INT64_FORMAT, source.draw->charge[0]);
      List** to = named ? &names : &queries;
      if (!is_one_of(*to, name)) *to = lappend(*to, name);
    }
  }
  const int asked = list_length(queries);
  if (asked == 1) names = lappend(names, (void*)"an earlier query");
  if (asked > 1) names = lappend(names, psprintf("%d earlier queries", asked));
  StringInfoData text;
  initStringInfo(&text);
  const int last = list_length(names) - 1;
  for (int n = 0; n <= last; n++) {
    const char* between = n == 0 ? "" : n == last ? " and " : ", ";
    appendStringInfo(&text, "%s%s", between, (const char*)list_nth(names, n));
  }
  return text.data;
}

DrawsOfStatistic draws_of(const StatisticSources& of) {
  DrawsOfStatistic made = {of.count, (const StoredDraw**)palloc(sizeof(StoredDraw*) * of.count)};
  for (int s = 0; s < of.count; s++) made.draw[s] = of.source[s].draw;
  return made;
}

const CubeReach* reaches_of(const StatisticSources* sources, int count, int sets) {
  CubeReach* made = (CubeReach*)palloc(sizeof(CubeReach) * count * sets);
  for (int i = 0; i < count; i++) {
    for (int set = 0; set < sets; set++) made[set * count + i] = sources[i].reach[set];
  }
  return made;
}

}  // namespace

DerivedAnswer* derive_answer(const PricedQuery* priced, const MemoryTerms& terms,
                             const Readable& readable, bool contents) {
  const AskedTables asked = asked_tables(priced, terms);
  const int count = priced->statistics->count, sets = sets_of(priced->groups);
  StatisticSources* sources = table_sources(asked, readable);
  if (sources == NULL) return NULL;
  for (int i = 0; contents && i < count; i++) {
    if (!read_contents(&sources[i], i, readable)) return NULL;
  }
  DerivedAnswer* made = (DerivedAnswer*)palloc0(sizeof(DerivedAnswer));
  made->tables = tables_of(sources, count);
  made->draws = (DrawsOfStatistic*)palloc(sizeof(DrawsOfStatistic) * count);
  for (int i = 0; i < count; i++) made->draws[i] = draws_of(sources[i]);
  made->reach = reaches_of(sources, count, sets);
  if (!contents) return made;
  const Size cells = (Size)priced->groups->count * count;
  made->shown = make_cells(cells);
  made->centre = make_cells(cells);
  made->slack = (double*)palloc(sizeof(double) * sets * count);
  guard([&] {
    for (int i = 0; i < count; i++) add_up(priced, sources[i], i, made);
  });
  return made;
}

}  // namespace dpmix::pg
