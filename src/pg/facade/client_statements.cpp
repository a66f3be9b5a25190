#include "pg/facade/client_statements.hpp"

#include "pg/facade/bounds_looks.hpp"
#include "pg/facade/column_looks.hpp"
#include "pg/facade/interval_columns.hpp"
#include "pg/facade/synthetic_looks.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "parser/analyze.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/portal.h"
}

namespace dpmix::pg {
namespace {

// Whether a client sent the statement. For those in functions, views and utility commands either a
// portal runs, or their text is another. A driver's Describe has no text of its own.
bool did_client_send(const ParseState* state) {
  return ActivePortal == NULL &&
         (debug_query_string == NULL || debug_query_string == state->p_sourcetext);
}

post_parse_analyze_hook_type analysed_before = NULL;

void on_analysed(ParseState* state, Query* query, JumbleState* jumble) {
  if (analysed_before != NULL) analysed_before(state, query, jumble);
  if (query->commandType != CMD_SELECT || query->rtable == NIL || !did_client_send(state)) return;
  if (in_release_process()) return;
  add_interval_columns(query);
  if (show_synthetic_rows(query)) return;
  empty_look(query);
  show_bounds(query);
}

}  // namespace

void client_statements_init() {
  analysed_before = post_parse_analyze_hook;
  post_parse_analyze_hook = on_analysed;
}

}  // namespace dpmix::pg
