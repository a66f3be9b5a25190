// dpmix.synthesize: a private synthetic table in one call. What a method releases, and what it
// charges for, is its own room's; here a model is made, rows are drawn from it, and it is
// forgotten.
#include "core/tree_model/sampler.hpp"
#include "pg/border/entropy.hpp"
#include "pg/mixture/make_model.hpp"
#include "pg/mixture/sample.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/run.hpp"
#include "pg/rows/rules.hpp"
#include "pg/synthetic/cda/make_rows.hpp"
#include "pg/synthetic/choice.hpp"
#include "pg/synthetic/copula.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/tree_model/make_model.hpp"
#include "pg/tree_model/sample.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_synthesize);
}

namespace dpmix::pg {
namespace {

TreeCall tree_of(const SynthesisCall& call) {
  return {.name = NULL,
          .table = call.table,
          .blocks = call.blocks,
          .columns = call.columns,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .bins = Bins::private_,
          .rows = call.wanted};
}

GmmCall mixture_of(const SynthesisCall& call) {
  GmmCall made = {};
  made.table = call.table;
  made.blocks = call.blocks;
  made.columns = call.columns;
  made.epsilon = call.epsilon;
  made.delta = call.delta;
  made.rows = call.wanted;
  return made;
}

CopulaCall copula_of(const SynthesisCall& call) {
  return {.table = call.table,
          .blocks = call.blocks,
          .columns = call.columns,
          .epsilon = call.epsilon,
          .delta = call.delta,
          .rows = call.rows,
          .wanted = call.wanted};
}

// A call of cda that makes rows as the other methods do: in proportion to the table's classes.
CdaCall* cda_of(const SynthesisCall& call) {
  return cda_call(call.rows, call.table, call.blocks, call.columns,
                  {.rows = call.wanted,
                   .epsilon = call.epsilon,
                   .delta = call.delta,
                   .mix = 0,
                   .demix = std::nullopt,
                   .class_rows = ClassRows::proportional,
                   .clip = 1});
}

void tell_quality(const char* quality) {
  ereport(NOTICE, (errmsg("quality of the rows: %s", quality)));
}

// Runs in the process, as do make_mixture_rows() and put_rows().
void make_tree_rows(const InProcess& process, const SynthesisCall& call) {
  const TreeCall tree = tree_of(call);
  const MadeModel made = make_tree(process, tree, checked_plan(&tree));
  tell_quality(made.quality);
  guard_with_random([&](RandomStream& random) {
    const TreeModel model = TreeModel::unpack({made.numbers.number, (Size)made.numbers.count});
    TreeSampler sampler(model);
    put_drawn_rows(random, call.rows, sampler, call.wanted);
  });
}

void make_mixture_rows(const InProcess& process, const SynthesisCall& call) {
  const GmmCall mixture = mixture_of(call);
  const MadeModel made = make_gmm(process, mixture, GmmKind::plan(mixture));
  tell_quality(made.quality);
  const StoredGmm gmm = gmm_of(NULL, call.columns, made.rows, made.numbers);
  guard_with_random([&](RandomStream& random) {
    put_gmm_rows(random, call.rows, mixture_of(&gmm), call.wanted);
  });
}

void put_rows(const InProcess& process, const SynthesisCall& call) {
  switch (call.method) {
    case RowMethod::tree:
      return make_tree_rows(process, call);
    case RowMethod::mixture:
      return make_mixture_rows(process, call);
    case RowMethod::copula:
      return tell_quality(put_copula_rows(process, copula_of(call)));
    case RowMethod::cda:
      return put_cda_rows(process, *call.cda);
  }
}

struct SynthesisKind {
  using Call = SynthesisCall;
  // Refuses what no row could satisfy.
  static SynthesisCall read(FunctionCallInfo fcinfo) {
    SynthesisCall call = synthesis_call(fcinfo);
    if (call.method == RowMethod::cda) {
      call.cda = cda_of(call);
      return call;
    }
    check_ruled_rows(call.rows, call.columns);
    add_columns(call.rows, call.columns);
    if (call.method != RowMethod::mixture) allow_nulls(call.rows, call.table, call.columns);
    start_rows(call.rows);
    return call;
  }
  static ResultRows rows(const SynthesisCall& call) { return row_store(call.rows); }
  static void preview(FunctionCallInfo fcinfo, Preview* preview) {
    const SynthesisCall call = read(fcinfo);
    switch (call.method) {
      case RowMethod::tree:
        return preview_of<TreeKind>(preview, tree_of(call));
      case RowMethod::mixture:
        return preview_of<GmmKind>(preview, mixture_of(call));
      case RowMethod::copula:
        return preview_of<CopulaKind>(preview, copula_of(call));
      case RowMethod::cda:
        return preview_of<CdaKind>(preview, *call.cda);
    }
  }
};

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_synthesize(PG_FUNCTION_ARGS) {
  return Runner::rows<SynthesisKind>(fcinfo, put_rows);
}
