#include "pg/regression/store.hpp"

#include "pg/border/context_object.hpp"

namespace dpmix::pg {

StoredRegression load_regression(const FoundRelease& row) {
  StoredRegression loaded = {row, NULL, NULL, NULL, NULL, NULL};
  const RegressionModel* model = context_object<RegressionModel>([&] {
    return new RegressionModel(RegressionModel::unpack({row.model, (Size)row.model_size}));
  });
  loaded.model = model;
  const int terms = (int)model->design.terms.size();
  int texts = 1 + 2 * terms;
  for (const DesignTerm& term : model->design.terms) texts += term.categories;
  if (texts != row.text_count ||
      (int)model->classes.size() != (row.label != NULL ? row.label_count : 1)) {
    elog(ERROR, "release \"%s\" is damaged", row.name);
  }
  loaded.name = (const char**)palloc(terms * sizeof(char*));
  loaded.sql = (const char**)palloc(terms * sizeof(char*));
  loaded.category = (char***)palloc(terms * sizeof(char**));
  char** text = row.texts;
  loaded.target = *text++;
  for (int i = 0; i < terms; i++) {
    loaded.name[i] = *text++;
    loaded.sql[i] = *text++;
    loaded.category[i] = text;
    text += model->design.terms[(Size)i].categories;
  }
  return loaded;
}

}  // namespace dpmix::pg
