// dpmix.release_survival: noisy counts of people by time, what became of them, and group, drawn
// once and stored. In the caller.
#include "pg/survival/kind.hpp"

#include <algorithm>

#include "core/survival/model.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/cube/kind.hpp"
#include "pg/query/ask.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/release/run.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_release_survival);
}

namespace dpmix::pg {
namespace {

// The columns, as a model has its features; values are told by their numbers.
ModelColumns* columns_of(const SurvivalCall& call, const SurvivalPlan& plan) {
  const QueryGroups* groups = plan.priced.groups;
  ModelColumns* columns = (ModelColumns*)palloc0(sizeof(ModelColumns));
  columns->features = groups->keys;
  columns->name = key_names(plan.priced);
  columns->lower = (double*)palloc0(sizeof(double) * columns->features);
  columns->upper = (double*)palloc0(sizeof(double) * columns->features);
  columns->upper[0] = call.until;
  for (int k = 1; k < columns->features; k++) columns->upper[k] = groups->key[k].categories - 1;
  columns->type = (Oid*)palloc(sizeof(Oid) * columns->features);
  columns->type[0] = FLOAT8OID;
  for (int k = 1; k < columns->features; k++) columns->type[k] = groups->key[k].shown_type;
  return columns;
}

// Kinds of events, then groups.
PlainTexts texts_of(const SurvivalCall& call, const SurvivalPlan& plan) {
  const QueryGroups* groups = plan.priced.groups;
  PlainTexts texts = {(const char**)palloc(sizeof(char*) * (plan.kinds + plan.groups)), 0};
  for (int i = 0; i < groups->key[1].categories; i++) {
    if (i != plan.censored) texts.text[texts.count++] = key_text(groups->key[1], i);
  }
  for (int i = 0; call.by != NULL && i < plan.groups; i++) {
    texts.text[texts.count++] = key_text(groups->key[2], i);
  }
  return texts;
}

struct CellPlace {
  bool known;  // false: of a key without a value
  int bin, event, group;
};
CellPlace place_of(const QueryGroups* groups, int group) {
  int64 product = product_of(groups, group);
  int place[3] = {};
  CellPlace made = {true, 0, 0, 0};
  for (int k = groups->keys - 1; k >= 0; k--) {
    const KeyColumn& key = groups->key[k];
    place[k] = (int)(product % key.places());
    product /= key.places();
    made.known = made.known && place[k] < key.categories;
  }
  if (!made.known) return made;
  made.bin = DatumGetInt32(groups->key[0].shown[place[0]]);
  made.event = place[1];
  made.group = place[2];
  return made;
}

// Inside guard(). Bins that the condition leaves out have no cell, and nobody.
SurvivalModel model_of(const SurvivalCall& call, const SurvivalPlan& plan, const Int128* cells) {
  const QueryGroups* groups = plan.priced.groups;
  SurvivalModel model;
  model.until = call.until;
  SurvivalTable table;
  table.bins = call.bins;
  table.kinds = plan.kinds;
  table.stddev = plan.stddev;
  table.one_time = call.one_time;
  table.cell.assign((Size)((call.bins + 1) * (plan.kinds + 1)), 0);
  model.groups.assign((Size)plan.groups, table);
  for (int i = 0; i < groups->count; i++) {
    const CellPlace place = place_of(groups, i);
    if (!place.known) continue;
    const int kind = place.event == plan.censored ? 0 : place.event + (place.event < plan.censored);
    model.groups[(Size)place.group].cell[(Size)(place.bin * (plan.kinds + 1) + kind)] =
        (double)cells[i];
  }
  return model;
}

MadeModel make_survival(const InProcess&, const SurvivalCall& call, const SurvivalPlan& plan) {
  const DrawnCells drawn = draw_groups(&plan.priced);
  MadeModel made = {};
  made.charge = drawn.charge;
  double least = 1;
  guard([&] {
    const SurvivalModel model = model_of(call, plan, drawn.cell);
    std::vector<double> people;
    for (const SurvivalTable& group : model.groups) {
      people.push_back(std::max(at_risk(group).people[0], 0.0));
      least = std::min(least, (double)told_bins(group) / group.bins);
    }
    made.rows = plain_numbers(people);
    made.numbers = plain_numbers(model.pack());
  });
  made.quality = least == 1  ? "all curves reach the end"
                 : least > 0 ? psprintf(
                                   "the shortest curve ends at %g of %g: there the noise hides "
                                   "who is left",
                                   least * call.until, call.until)
                             : "the noise hides some curve from its begin";
  return made;
}

}  // namespace

void SurvivalKind::preview(FunctionCallInfo fcinfo, Preview* preview) {
  tell_kept(survival_plan(survival_call(fcinfo)).priced, preview);
}

Terms SurvivalKind::terms(const SurvivalCall& call, const SurvivalPlan& plan) {
  return {.kind = "survival",
          .name = call.cube.name,
          .method = "product limit",
          .columns = columns_of(call, plan),
          .table = plan.priced.table,
          .source = call.cube.source,
          .epsilon = call.cube.query.epsilon,
          .delta = call.cube.query.delta};
}

ModelRecord SurvivalKind::record(const SurvivalCall& call, const SurvivalPlan& plan,
                                 const MadeModel& made) {
  ModelRecord record = packed_record(columns_of(call, plan), made, texts_of(call, plan));
  record.count_stddev = plan.stddev;
  record.dimensions = call.bins;
  record.adjacency = plan.priced.shape->joined.adjacency;
  return record;
}

Datum SurvivalKind::summary(FunctionCallInfo fcinfo, const SurvivalCall& call,
                            const SurvivalPlan& plan, const MadeModel& made) {
  return row_datum(fcinfo, {call.cube.name, call.cube.relation, plan.groups, plan.kinds, call.bins,
                            call.until, call.cube.query.epsilon, call.cube.query.delta, plan.stddev,
                            sum_of(made.rows), made.quality});
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_survival(PG_FUNCTION_ARGS) {
  return Runner::model<SurvivalKind>(fcinfo, make_survival);
}
