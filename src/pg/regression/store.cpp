#include "pg/regression/store.hpp"

#include "pg/border/context_object.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

Statement store = {
    "UPDATE dpmix.release SET charge_id = $2, row_counts = $3, feature_types = $4, adjacency = $5, "
    "    count_stddev = $6, quality = $7, model = $8, texts = $9 WHERE name = $1 AND charge_id = 0"};

}  // namespace

StoredRegression load_regression(const char* name) {
  StoredRegression loaded = {usable_release(name, "regression"), NULL, NULL, NULL, NULL, NULL};
  const FoundRelease& row = loaded.row;
  const RegressionModel* model = context_object<RegressionModel>([&] {
    return new RegressionModel(RegressionModel::unpack({row.model, (Size)row.model_size}));
  });
  loaded.model = model;
  const int terms = (int)model->design.terms.size();
  int texts = 1 + 2 * terms;
  for (const DesignTerm& term : model->design.terms) texts += term.categories;
  if (texts != row.text_count ||
      (int)model->classes.size() != (row.label != NULL ? row.label_count : 1)) {
    elog(ERROR, "release \"%s\" is damaged", name);
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

void store_regression(const char* name, const RegressionTerms* terms, const char* adjacency,
                      const double* numbers, int count, const double* rows, double count_stddev,
                      const char* quality, int64 charge_id) {
  int texts = 1 + 2 * terms->count;
  for (int i = 0; i < terms->count; i++) texts += terms->term[i].coding.categories;
  const char** text = (const char**)palloc(texts * sizeof(char*));
  texts = 0;
  text[texts++] = terms->target.name;
  for (int i = 0; i < terms->count; i++) {
    const RegressionTerm& term = terms->term[i];
    text[texts++] = term.name;
    text[texts++] = term.sql != NULL ? term.sql : "";
    for (int k = 0; k < term.coding.categories; k++) text[texts++] = term.category[k];
  }
  const ModelColumns* columns = terms->columns;
  as_catalog_owner([&] {
    (void)write_rows(
        store, {name, charge_id, float8_array(rows, columns->classes),
                oid_array(columns->type, columns->features, REGTYPEOID), adjacency, count_stddev,
                quality, float8_array(numbers, count), text_array(text, texts)});
  });
}

}  // namespace dpmix::pg
