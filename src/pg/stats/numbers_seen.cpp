#include "pg/stats/numbers_seen.hpp"

#include "pg/border/guard.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "port/pg_bitutils.h"
PG_FUNCTION_INFO_V1(dpmix_numbers_seen_add);
}

namespace dpmix::pg {
namespace {

// Any bytes are a set of numbers: the bits set.
struct SetState {
  static constexpr StateKind kind = StateKind::set;
  int32 vl_len_;
  StateKind is;
  uint8 bits[FLEXIBLE_ARRAY_MEMBER];
};

Size bytes_of(const SetState* set) {
  return VARSIZE(set) - offsetof(SetState, bits);
}

SetState* new_set(Size bytes) {
  return new_state<SetState>(offsetof(SetState, bits) + bytes);
}

SetState* widened(const SetState* set, Size bytes) {
  SetState* wider = new_set(bytes);
  memcpy(wider->bits, set->bits, bytes_of(set));
  return wider;
}

State* plain(SetState* set) {
  return reinterpret_cast<State*>(set);
}
SetState* set_of(State* state) {
  return reinterpret_cast<SetState*>(state);
}

State* blank_set() {
  return plain(new_set(0));
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

State* set_of_text(const char* text) {  // (two digits a byte)
  const Size length = strlen(text);
  if (length < 2 || length % 2 != 0 || text[0] != '(' || text[length - 1] != ')') return nullptr;
  const Size bytes = (length - 2) / 2;
  if (bytes > kMostNumbersSeen / 8) return nullptr;
  SetState* set = new_set(bytes);
  for (Size i = 0; i < bytes; ++i) {
    const int high = digit_of(text[1 + 2 * i]), low = digit_of(text[2 + 2 * i]);
    if (high < 0 || low < 0) return nullptr;
    set->bits[i] = static_cast<uint8>(high << 4 | low);
  }
  return plain(set);
}

char* text_of_set(State* state) {
  constexpr char digits[] = "0123456789abcdef";
  const SetState* set = set_of(state);
  const Size bytes = bytes_of(set);
  char *text = static_cast<char*>(palloc(2 * bytes + 3)), *at = text;
  *at++ = '(';
  for (Size i = 0; i < bytes; ++i) {
    *at++ = digits[set->bits[i] >> 4];
    *at++ = digits[set->bits[i] & 15];
  }
  *at++ = ')';
  *at = 0;
  return text;
}

State* receive_set(StringInfo message) {
  const int bytes = message->len - message->cursor;
  if (bytes > kMostNumbersSeen / 8) return nullptr;
  SetState* set = new_set(static_cast<Size>(bytes));
  pq_copymsgbytes(message, reinterpret_cast<char*>(set->bits), bytes);
  return plain(set);
}

void send_set(StringInfo message, State* state) {
  const SetState* set = set_of(state);
  pq_sendbytes(message, reinterpret_cast<const char*>(set->bits), static_cast<int>(bytes_of(set)));
}

State* merge_sets(State* own, State* other) {
  SetState* set = set_of(own);
  const SetState* theirs = set_of(other);
  const Size bytes = bytes_of(theirs);
  if (bytes > bytes_of(set)) set = widened(set, bytes);
  for (Size i = 0; i < bytes; ++i) set->bits[i] |= theirs->bits[i];
  return plain(set);
}

int64 seen(const SetState* set) {
  return static_cast<int64>(
      pg_popcount(reinterpret_cast<const char*>(set->bits), static_cast<int>(bytes_of(set))));
}

ArrayType* numbers(State* state) {
  return numeric_array({seen(set_of(state))});
}

}  // namespace

int64 read_numbers_seen(Datum set) {
  return seen(read_state_of<SetState>(set));
}

const StateForm set_form{
    StateKind::set, "set",    blank_set,  set_of_text, text_of_set,
    receive_set,    send_set, merge_sets, numbers,
};

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" Datum dpmix_numbers_seen_add(PG_FUNCTION_ARGS) {  // strict
  const int32 number = PG_GETARG_INT32(1), size = PG_GETARG_INT32(2);
  if (unlikely(size < 1 || size > kMostNumbersSeen)) {
    refuse_argument("invalid size", psprintf("size is %d.", size),
                    psprintf("Use a size from 1 to %d.", kMostNumbersSeen));
  }
  auto* set = own_state<SetState>(fcinfo, [](SetState*) {});
  const auto byte = static_cast<Size>(number) / 8;
  if (unlikely(number < 0 || number >= size)) PG_RETURN_POINTER(set);
  if (unlikely(byte >= bytes_of(set))) {  // the first number; or sets of different sizes, united
    set = widened(set, (static_cast<Size>(size) + 7) / 8);
  }
  set->bits[byte] = static_cast<uint8>(set->bits[byte] | 1 << number % 8);
  PG_RETURN_POINTER(set);
}
