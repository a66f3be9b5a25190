#include "pg/stats/state_type.hpp"

#include "pg/border/guard.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"

PG_FUNCTION_INFO_V1(dpmix_state_in);
PG_FUNCTION_INFO_V1(dpmix_state_out);
PG_FUNCTION_INFO_V1(dpmix_state_recv);
PG_FUNCTION_INFO_V1(dpmix_state_send);
PG_FUNCTION_INFO_V1(dpmix_state_combine);
PG_FUNCTION_INFO_V1(dpmix_state_numbers);
}

namespace dpmix::pg {
namespace {

const StateForm* const kForms[] = {&sum_form,    &squares_form, &moments_form,
                                   &counts_form, &sample_form,  &set_form};

// NULL: of no rows.
const StateForm* form_of(const State* state) {
  for (const StateForm* form : kForms) {
    if (form->kind == state->is) return form;
  }
  if (state->is != StateKind::none) corrupt_state(ERRCODE_DATA_CORRUPTED);
  return nullptr;
}

const StateForm* form_of_word(const char* word, Size length) {
  for (const StateForm* form : kForms) {
    if (strlen(form->word) == length && strncmp(form->word, word, length) == 0) return form;
  }
  return nullptr;
}

State* state_of_no_rows() {
  return new_state<State>(sizeof(State));
}

}  // namespace

void corrupt_state(int sqlstate) {
  refuse(sqlstate, "invalid dpmix.exact_state", "No rows can have made this state.",
         "Use states as the aggregates made them, unchanged.");
}

void refuse_kind() {
  refuse_argument("states of different statistics cannot be combined", NULL,
                  "Merge states that one aggregate made, with the same arguments.");
}

State* blank_state(StateKind kind) {
  for (const StateForm* form : kForms) {
    if (form->kind == kind) return form->blank();
  }
  return state_of_no_rows();
}

State* merged_state(State* own, State* other) {
  const StateForm* form = form_of(other);
  if (form == nullptr) return own;
  if (own->is == StateKind::none) return form->merge(form->blank(), other);
  if (own->is != other->is) refuse_kind();
  return form->merge(own, other);
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

// word(...), or () of no rows.
Datum dpmix_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  if (strcmp(text, "()") == 0) PG_RETURN_POINTER(state_of_no_rows());
  const Size length = strcspn(text, "(");
  const StateForm* form = form_of_word(text, length);
  State* state = form != nullptr ? form->of_text(text + length) : nullptr;
  if (state == nullptr) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION);
  PG_RETURN_POINTER(state);
}

Datum dpmix_state_out(PG_FUNCTION_ARGS) {
  State* state = read_state(PG_GETARG_DATUM(0));
  const StateForm* form = form_of(state);
  if (form == nullptr) PG_RETURN_CSTRING(pstrdup("()"));
  PG_RETURN_CSTRING(psprintf("%s%s", form->word, form->text_of(state)));
}

// Sends the kind, then what the kind sends.
Datum dpmix_state_send(PG_FUNCTION_ARGS) {
  State* state = read_state(PG_GETARG_DATUM(0));
  const StateForm* form = form_of(state);
  StringInfoData message;
  pq_begintypsend(&message);
  pq_sendbyte(&message, static_cast<uint8>(state->is));
  if (form != nullptr) form->send(&message, state);
  PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

Datum dpmix_state_recv(PG_FUNCTION_ARGS) {
  StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  const auto kind = static_cast<StateKind>(pq_getmsgbyte(message));
  if (kind == StateKind::none) PG_RETURN_POINTER(state_of_no_rows());
  State* state = nullptr;
  for (const StateForm* form : kForms) {
    if (form->kind == kind) state = form->receive(message);
  }
  if (state == nullptr) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION);
  PG_RETURN_POINTER(state);
}

Datum dpmix_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  State* own = read_state(PG_GETARG_DATUM(0));
  if (!AggCheckCallContext(fcinfo, nullptr)) {
    own = static_cast<State*>(memcpy(palloc(VARSIZE(own)), own, VARSIZE(own)));
  }
  PG_RETURN_POINTER(merged_state(own, read_state(PG_GETARG_DATUM(1))));
}

Datum dpmix_state_numbers(PG_FUNCTION_ARGS) {
  State* state = read_state(PG_GETARG_DATUM(0));
  const StateForm* form = form_of(state);
  PG_RETURN_ARRAYTYPE_P(form != nullptr ? form->numbers(state) : construct_empty_array(NUMERICOID));
}
}
