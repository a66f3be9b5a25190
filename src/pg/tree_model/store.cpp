#include "pg/tree_model/store.hpp"

#include "pg/border/context_object.hpp"

namespace dpmix::pg {

const CutColumn* StoredTree::column(int feature) const {
  const int measured = model->measured_of(feature);
  return measured < 0 ? NULL : &model->columns[(Size)measured];
}

int StoredTree::category_count(int feature) const {
  const CutColumn* of = column(feature);
  return of != NULL ? of->values.categories : 0;
}

// A sum, where one of its parts is.
bool StoredTree::may_be_missing(int feature) const {
  const CutColumn* of = column(feature);
  return of == NULL || (of->values.missing && of->values.nullable);
}

ColumnRules StoredTree::rules() const {
  ColumnRules rules = {0, (ColumnRule*)palloc0(sizeof(ColumnRule) * (Size)row.features)};
  const auto name_of = [&](int column) { return column < 0 ? NULL : row.feature[column]; };
  for (int i = 0; i < model->rules.columns(); i++) {
    const RuledColumn& ruled = model->rules.column(i);
    if (ruled.at_least < 0 && ruled.present_with < 0 && ruled.sum_of.empty()) continue;
    ColumnRule* rule = &rules.rule[rules.count++];
    const int parts = (int)ruled.sum_of.size();
    *rule = {row.feature[i], name_of(ruled.at_least),    parts, NULL,
             ruled.units,    name_of(ruled.present_with)};
    rule->sum_of = (char**)palloc(sizeof(char*) * (Size)Max(parts, 1));
    for (int k = 0; k < parts; k++) rule->sum_of[k] = row.feature[ruled.sum_of[(Size)k]];
  }
  return rules;
}

char** StoredTree::categories(int feature) const {
  int first = 0;
  for (int i = 0; i < feature; i++) first += category_count(i);
  return row.texts + first;
}

StoredTree load_tree(const FoundRelease& row) {
  StoredTree tree = {row, NULL};
  tree.model = context_object<TreeModel>([&] {
    return new TreeModel(TreeModel::unpack({row.model, (Size)row.model_size}));
  });
  int texts = 0;
  for (const CutColumn& column : tree.model->columns) texts += column.values.categories;
  if (tree.model->row_columns() != row.features || texts != row.text_count ||
      tree.model->tables.class_count() != (row.label != NULL ? row.label_count : 1)) {
    elog(ERROR, "release \"%s\" is damaged", row.name);
  }
  return tree;
}

}  // namespace dpmix::pg
