#include "pg/tree_model/store.hpp"

#include "pg/border/context_object.hpp"

namespace dpmix::pg {

char** StoredTree::categories(int feature) const {
  int first = 0;
  for (int i = 0; i < feature; i++) first += model->columns[(Size)i].values.categories;
  return row.texts + first;
}

StoredTree load_tree(const FoundRelease& row) {
  StoredTree tree = {row, NULL};
  tree.model = context_object<TreeModel>([&] {
    return new TreeModel(TreeModel::unpack({row.model, (Size)row.model_size}));
  });
  int texts = 0;
  for (const CutColumn& column : tree.model->columns) texts += column.values.categories;
  if ((int)tree.model->columns.size() != row.features || texts != row.text_count ||
      tree.model->tables.class_count() != (row.label != NULL ? row.label_count : 1)) {
    elog(ERROR, "release \"%s\" is damaged", row.name);
  }
  return tree;
}

}  // namespace dpmix::pg
