// The edges of a stored tree model: as rows and as a picture.
#include "pg/tree_model/picture.hpp"

#include "core/drawing/dependence.hpp"
#include "core/tree_model/graph.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/tree_model/store.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_tree_edges);
}

namespace dpmix::pg {
namespace {

// Inside guard(): in the order in which they were drawn.
std::vector<DependencePicture::Pair> pairs_of(const TreeModel& model) {
  std::vector<DependencePicture::Pair> pairs;
  ColumnGraph graph(static_cast<int>(model.columns.size()));
  for (const PairTable& pair : model.tables.pairs) {
    pairs.push_back(
        {pair.a, pair.b, model.mutual_information(pair), graph.connected(pair.a, pair.b)});
    graph.join(pair.a, pair.b);
  }
  return pairs;
}

}  // namespace

text* tree_picture(const FoundRelease& found) {
  const StoredTree tree = load_tree(found);
  const FoundRelease& row = tree.row;
  const char *model = as_utf8(row.name), *label = row.label != NULL ? as_utf8(row.label) : "";
  const char** names = (const char**)palloc(row.features * sizeof(char*));
  const int columns = (int)tree.model->columns.size();
  for (int m = 0; m < columns; m++) {
    names[m] = as_utf8(row.feature[tree.model->row_column(m)]);
  }
  return guard([&] {
    return text_of(
        draw_dependence({model, label, {names, names + columns}, pairs_of(*tree.model)}));
  });
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_tree_edges(PG_FUNCTION_ARGS) {
  const StoredTree tree = load_tree(release_argument(fcinfo, 0));
  const ResultRows rows = begin_rows(fcinfo);
  guard([&] {
    for (const DependencePicture::Pair& pair : pairs_of(*tree.model)) {
      const int a = tree.model->row_column(pair.a), b = tree.model->row_column(pair.b);
      postgres([&] {
        add_row(rows, {name_value(tree.row.feature[a]), name_value(tree.row.feature[b]), pair.nats,
                       pair.chord});
      });
    }
  });
  return (Datum)0;
}
