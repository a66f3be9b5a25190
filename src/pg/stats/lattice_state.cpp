#include "pg/stats/lattice_state.hpp"

#include <bit>
#include <cmath>

#include "pg/border/guard.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

// Whether the four arguments are the lattice's own, bit for bit, and there is one.
bool same_lattice(FunctionCallInfo fcinfo, const SumState* state) {
  const auto differ = [fcinfo](int argument, double value) {
    return std::bit_cast<uint64>(PG_GETARG_FLOAT8(argument)) ^ std::bit_cast<uint64>(value);
  };
  return (differ(2, state->lattice.origin) | differ(3, state->step) |
          differ(4, state->lattice.low) | differ(5, state->lattice.high)) == 0 &&
         std::bit_cast<uint64>(state->step) != 0;
}

// The first row sets the lattice; a later row must not change it.
void set_lattice(SumState* state, double origin, double step, double low, double high) {
  Lattice lattice;
  lattice.origin = origin + 0.0;  // one zero: equal states have equal text
  lattice.step = step;
  const double most = static_cast<double>(Lattice::max_index);
  const bool whole = low >= -most && low <= most && low == std::floor(low) && high >= -most &&
                     high <= most && high == std::floor(high);
  if (whole) {
    lattice.low = static_cast<int64>(low);
    lattice.high = static_cast<int64>(high);
  }
  if (!whole || !lattice.valid()) {
    refuse_argument(
        "invalid lattice",
        psprintf("origin %.17g, step %.17g, low %.17g, high %.17g", origin, step, low, high),
        "Use a finite origin, a positive step, and integers low <= high of magnitude at most "
        "2^53.");
  }
  LatticeSum sum = load(state);
  if (!sum.blank() && sum.lattice != lattice) {
    refuse_argument("the lattice must be the same for all rows", NULL,
                    "Pass constants for origin, step, low and high.");
  }
  sum.lattice = lattice;
  store(state, sum);
}

void send_words(StringInfo message, Int128 value) {
  uint64 words[2];
  set_wide(words, value);
  pq_sendint64(message, words[1]);
  pq_sendint64(message, words[0]);
}

Int128 receive_words(StringInfo message) {
  const auto high = static_cast<uint64>(pq_getmsgint64(message));
  const uint64 words[2] = {static_cast<uint64>(pq_getmsgint64(message)), high};
  return wide(words);
}

char varying_lattice;

void classify(FunctionCallInfo fcinfo) {
  // Outside of an aggregate a state is the caller's, maybe a table's: never changed in place.
  bool constant = AggCheckCallContext(fcinfo, nullptr) != 0;
  for (int i = 2; i <= 5; ++i) constant = constant && constant_argument(fcinfo, i);
  fcinfo->flinfo->fn_extra = constant ? &constant_lattice : &varying_lattice;
}

}  // namespace

char constant_lattice;

LatticeSum load(const SumState* state) {
  LatticeSum sum;
  sum.lattice = {state->lattice.origin, state->step, static_cast<int64>(state->lattice.low),
                 static_cast<int64>(state->lattice.high)};
  sum.count = state->count;
  sum.total = wide(state->total);
  return sum;
}

void store(SumState* state, const LatticeSum& sum) {
  state->step = sum.lattice.step;
  state->lattice = sum.blank() ? LatticePlacer{} : sum.lattice.placer();
  state->count = sum.count;
  set_wide(state->total, sum.total);
}

LatticeSquares load(const SquaresState* state) {
  return {load(&state->sum), wide(state->squares)};
}

void store(SquaresState* state, const LatticeSquares& squares) {
  store(&state->sum, squares.sum);
  state->shift = squares.blank() ? 0 : square_placer(squares.sum.lattice.high).shift;
  set_wide(state->squares, squares.squares);
}

void send(StringInfo message, const LatticeSum& sum) {
  pq_sendint64(message, static_cast<uint64>(sum.count));
  send_words(message, sum.total);
  pq_sendfloat8(message, sum.lattice.origin);
  pq_sendfloat8(message, sum.lattice.step);
  pq_sendint64(message, static_cast<uint64>(sum.lattice.low));
  pq_sendint64(message, static_cast<uint64>(sum.lattice.high));
}

void send(StringInfo message, const LatticeSquares& squares) {
  send_words(message, squares.squares);
  send(message, squares.sum);
}

void receive(StringInfo message, LatticeSum* sum) {
  sum->count = pq_getmsgint64(message);
  sum->total = receive_words(message);
  sum->lattice.origin = pq_getmsgfloat8(message) + 0.0;
  sum->lattice.step = pq_getmsgfloat8(message);
  sum->lattice.low = pq_getmsgint64(message);
  sum->lattice.high = pq_getmsgint64(message);
}

void receive(StringInfo message, LatticeSquares* squares) {
  squares->squares = receive_words(message);
  receive(message, &squares->sum);
}

bool enter_lattice(FunctionCallInfo fcinfo, SumState* state) {
  for (int i = 2; i <= 5; ++i) {
    if (PG_ARGISNULL(i)) return false;
  }
  if (fcinfo->flinfo->fn_extra == nullptr) classify(fcinfo);
  if (!same_lattice(fcinfo, state)) {
    set_lattice(state, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4),
                PG_GETARG_FLOAT8(5));
  }
  return true;
}

void refuse_merge(bool corrupt) {
  if (corrupt) corrupt_state(ERRCODE_DATA_CORRUPTED);
  refuse_argument("states on different lattices cannot be combined", NULL,
                  "Make both with the same origin, step, low and high.");
}

}  // namespace dpmix::pg
