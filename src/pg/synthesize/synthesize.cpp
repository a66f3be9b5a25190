// dpmix.synthesize: a private synthetic table in one call. What a method releases, and what it
// charges for, is its own room's; here a model is made, rows are drawn from it, and it is
// forgotten.
#include "core/tree_model/sampler.hpp"
#include "pg/border/entropy.hpp"
#include "pg/copula/copula.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/mixture/release_gmm.hpp"
#include "pg/mixture/sample.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/synthesize/request.hpp"
#include "pg/synthetic/cda.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/tree_model/release_tree.hpp"
#include "pg/tree_model/sample.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_synthesize);
PG_FUNCTION_INFO_V1(dpmix_preview_synthesize);
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
          .rows = call.wanted};
}

// As many rows of each class as the table has, as the other methods make them.
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

// In the process.
void make_tree_rows(const SynthesisCall& call) {
  const TreeCall tree = tree_of(call);
  const ReleasedTree made = release_tree(tree, checked_plan(&tree));
  tell_quality(made.quality);
  guard_with_random([&](RandomStream& random) {
    const TreeModel model = TreeModel::unpack({made.numbers, (Size)made.count});
    TreeSampler sampler(model);
    put_drawn_rows(random, call.rows, sampler, call.wanted);
  });
}

void make_mixture_rows(const SynthesisCall& call) {
  const ReleasedGmm made = release_gmm(mixture_of(call));
  tell_quality(made.quality);
  guard_with_random([&](RandomStream& random) {
    put_gmm_rows(random, call.rows, mixture_of(made.gmm), call.wanted);
  });
}

// Refuses what no row could satisfy. NULL: the method is not cda.
const CdaCall* start(const SynthesisCall& call) {
  if (call.method == RowMethod::cda) return cda_of(call);
  add_columns(call.rows, call.columns);
  if (call.method != RowMethod::mixture) allow_nulls(call.rows, call.table, call.columns);
  start_rows(call.rows);
  return NULL;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_synthesize(PG_FUNCTION_ARGS) {
  const SynthesisCall call = synthesis_call(fcinfo);
  const CdaCall* cda = start(call);
  if (!in_release_process()) return release_rows(fcinfo, row_store(call.rows));
  switch (call.method) {
    case RowMethod::tree:
      make_tree_rows(call);
      break;
    case RowMethod::mixture:
      make_mixture_rows(call);
      break;
    case RowMethod::copula:
      tell_quality(release_copula(copula_of(call), call.rows));
      break;
    case RowMethod::cda:
      release_cda(cda);
      break;
  }
  return (Datum)0;
}

Datum dpmix_preview_synthesize(PG_FUNCTION_ARGS) {
  const SynthesisCall call = synthesis_call(fcinfo);
  const CdaCall* cda = start(call);
  switch (call.method) {
    case RowMethod::tree:
      return preview_tree(fcinfo, tree_of(call));
    case RowMethod::mixture:
      return preview_gmm(fcinfo, mixture_of(call));
    case RowMethod::copula:
      return preview_copula(fcinfo, copula_of(call));
    case RowMethod::cda:
      break;
  }
  return preview_cda(fcinfo, cda);
}
