// dpmix.exact_state, the type of all exact statistics' states, and what each kind of them can do.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/array.h"
}

namespace dpmix::pg {

// A varlena that says which kind it is, and has as many bytes as its kind says.
// Whatever is a value of the type was made by a function below, or checked when it came in.
enum class StateKind : int32 { none, sum, squares, moments, counts, sample, set };
struct State {  // one of no rows, which any other may be added to
  static constexpr StateKind kind = StateKind::none;
  int32 vl_len_;
  StateKind is;
};

// What a kind is to the functions of the type, outside guard(). Those that make a state from what
// came in return NULL when no rows can have made it.
struct StateForm {
  StateKind kind;
  const char* word;  // comes before the text of a state
  State* (*blank)();
  State* (*of_text)(const char* text);
  char* (*text_of)(State* state);
  State* (*receive)(StringInfo message);
  void (*send)(StringInfo message, State* state);
  // Adds two states of this kind: `own` may be changed, and is returned unless it was blank.
  State* (*merge)(State* own, State* other);
  ArrayType* (*numbers)(State* state);  // dpmix.numbers
};
extern const StateForm sum_form, squares_form, moments_form, counts_form, sample_form, set_form;

State* blank_state(StateKind kind);
// The sum of two states, of one kind or of no rows: `own`, changed, or another. Both are checked.
State* merged_state(State* own, State* other);

[[noreturn]] void corrupt_state(int sqlstate);  // "invalid dpmix.exact_state"
[[noreturn]] void refuse_kind();                // PV005

// Zeros but for its head.
template <class Kind>
Kind* new_state(Size size) {
  auto* state = static_cast<Kind*>(palloc0(size));
  SET_VARSIZE(state, size);
  state->is = Kind::kind;
  return state;
}

template <class Kind>
Kind* of_kind(State* state) {
  if (unlikely(state->is != Kind::kind)) refuse_kind();
  return reinterpret_cast<Kind*>(state);
}
inline State* read_state(Datum state) {
  auto* varlena = reinterpret_cast<struct varlena*>(DatumGetPointer(state));
  if (unlikely(VARATT_IS_EXTENDED(varlena))) varlena = pg_detoast_datum(varlena);
  return reinterpret_cast<State*>(varlena);
}
// What a statistic came to: of no rows, the state that its aggregate begins with.
template <class Kind>
Kind* read_state_of(Datum state) {
  State* read = read_state(state);
  return of_kind<Kind>(read->is != StateKind::none ? read : blank_state(Kind::kind));
}

}  // namespace dpmix::pg
