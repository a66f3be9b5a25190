#include "pg/tree_model/store.hpp"

#include "pg/border/context_object.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

Statement store = {
    "UPDATE dpmix.release SET charge_id = $2, row_counts = $3, feature_types = $4, adjacency = $5, "
    "    count_stddev = $6, quality = $7, model = $8, texts = $9 WHERE name = $1 AND charge_id = 0"};

}  // namespace

char** StoredTree::categories(int feature) const {
  int first = 0;
  for (int i = 0; i < feature; i++) first += model->columns[(Size)i].values.categories;
  return row.texts + first;
}

StoredTree load_tree(const char* name) {
  StoredTree tree = {usable_release(name, "tree"), NULL};
  const FoundRelease& row = tree.row;
  tree.model = context_object<TreeModel>([&] {
    return new TreeModel(TreeModel::unpack({row.model, (Size)row.model_size}));
  });
  int texts = 0;
  for (const CutColumn& column : tree.model->columns) texts += column.values.categories;
  if ((int)tree.model->columns.size() != row.features || texts != row.text_count ||
      tree.model->tables.class_count() != (row.label != NULL ? row.label_count : 1)) {
    elog(ERROR, "release \"%s\" is damaged", name);
  }
  return tree;
}

void store_tree(const char* name, const ModelColumns* columns, const char* adjacency,
                const double* numbers, int count, const double* rows, double count_stddev,
                const char* quality, int64 charge_id) {
  int texts = 0;
  for (int i = 0; i < columns->features; i++) texts += columns->categories[i];
  const char** text = (const char**)palloc(Max(texts, 1) * sizeof(char*));
  texts = 0;
  for (int i = 0; i < columns->features; i++) {
    for (int k = 0; k < columns->categories[i]; k++) text[texts++] = columns->category_texts[i][k];
  }
  as_catalog_owner([&] {
    (void)write_rows(
        store, {name, charge_id, float8_array(rows, columns->classes),
                oid_array(columns->type, columns->features, REGTYPEOID), adjacency, count_stddev,
                quality, float8_array(numbers, count), text_array(text, texts)});
  });
}

}  // namespace dpmix::pg
