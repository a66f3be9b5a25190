#include "pg/comparison/kind.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/message.hpp"

namespace dpmix::pg {
namespace {

// A table without a complete row teaches nothing, and would cost a budget all the same.
void require_rows(const CompareCall* call, const Learnt& learnt) {
  const bool bayes = guard([&] { return has_pair_classifier(public_columns(call->columns)); });
  const bool learns =
      (!is_classified(call) || learnt.classifier.size > 0) && (!bayes || learnt.scores.size > 0);
  if (learnt.states->rows > 0 && learns) return;
  refuse_argument("the synthetic table has no rows to compare with",
                  "It has no row in which all features and the label are known.",
                  "Compare fewer features, or make the synthetic table first.");
}

// features: NULL for those that the call names.
CompareKind::Call learnt_call(
    FunctionCallInfo fcinfo, ArrayType* features,
    Callable<CompareStates*(const CompareCall*, const CompareScan*)> read) {
  CompareKind::Call call = {};
  call.asked = private_call(fcinfo, features);
  call.price = price_of(call.asked);
  call.rows = begin_rows(fcinfo);
  call.synthetic = learn_synthetic(call.asked, kCoarseCells,
                                   [&](const CompareScan* scan) { return read(call.asked, scan); });
  require_rows(call.asked, call.synthetic);
  return call;
}

}  // namespace

CompareKind::Call CompareKind::read(FunctionCallInfo fcinfo) {
  return learnt_call(fcinfo, NULL, [](const CompareCall* call, const CompareScan* scan) {
    return read_synthetic(scan, call->synthetic);
  });
}

// The compared columns, as if they had been named, and the states of the aggregates.
void CompareKind::attach(StringInfo out, const Call& call) {
  const CompareColumns* columns = call.asked->columns;
  const int features = label_column(columns);
  const char** names = (const char**)palloc(Max(features, 1) * sizeof(char*));
  for (int i = 0; i < features; i++) names[i] = column_name(columns, i);
  put_varlena(out, DatumGetArrayTypeP(name_array(names, features).datum));
  put_states(out, &call.synthetic.scan, call.asked->synthetic, call.synthetic.states);
}

CompareKind::Call CompareKind::receive(FunctionCallInfo fcinfo, StringInfo in) {
  ArrayType* features = (ArrayType*)get_varlena(in);
  return learnt_call(fcinfo, features, [=](const CompareCall* call, const CompareScan* scan) {
    return get_states(in, scan, call->synthetic);
  });
}

void CompareKind::preview(FunctionCallInfo fcinfo, Preview* preview) {
  const CompareCall* call = private_call(fcinfo);
  tell(preview, terms(*call, price_of(call)));
}

Terms CompareKind::terms(const CompareCall& call, const ComparePrice& price) {
  const CountNoise counted = count_noise(price.noise);
  return {.kind = "compare",
          .table = call.table,
          .blocks = call.blocks,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .own = price.own,
          .mu = price.mu,
          .counted = counted.what,
          .count_stddev = counted.stddev};
}

}  // namespace dpmix::pg
