#include "pg/survival/store.hpp"

#include "pg/border/context_object.hpp"

namespace dpmix::pg {

StoredSurvival load_survival(const FoundRelease& row) {
  StoredSurvival stored = {row, NULL, row.texts, NULL};
  stored.model = context_object<SurvivalModel>([&] {
    return new SurvivalModel(SurvivalModel::unpack({row.model, (Size)row.model_size}));
  });
  const int kinds = stored.model->kinds(), groups = (int)stored.model->groups.size();
  const bool named = row.features == 3;
  if (row.features < 2 || row.text_count != kinds + (named ? groups : 0) ||
      (!named && groups > 1)) {
    elog(ERROR, "release \"%s\" is damaged", row.name);
  }
  if (named) stored.groups = row.texts + kinds;
  return stored;
}

}  // namespace dpmix::pg
