#include "pg/stats/moment_state.hpp"

#include "pg/border/texts.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

ClassMoments view(State* state) {
  return view_of_words<ClassMoments>(reinterpret_cast<MomentState*>(state));
}

State* new_moments(const MomentShape& shape) {
  return reinterpret_cast<State*>(new_word_state<MomentState, ClassMoments>(shape));
}

State* blank_moments() {
  return new_moments({});
}

State* moments_of_text(const char* text) {
  State* state = nullptr;
  guard([&] {
    const std::optional<MomentTotals> totals = MomentTotals::from_text(text);
    if (!totals) return;
    postgres([&] { state = new_moments(totals->shape); });
    ClassMoments(reinterpret_cast<MomentState*>(state)->words).assign(*totals);
  });
  return state;
}

char* text_of_moments(State* state) {
  const ClassMoments moments = view(state);
  return guard([&] { return c_string_of(moments.totals().to_text()); });
}

// Sends the shape, then for each class the count, sums and products; 128 bits high first.
void send_moments(StringInfo message, State* state) {
  const ClassMoments moments = view(state);
  guard([&] {
    const MomentTotals totals = moments.totals();
    postgres([&] {
      pq_sendint32(message, static_cast<uint32>(totals.shape.classes));
      pq_sendint32(message, static_cast<uint32>(totals.shape.features));
      pq_sendint64(message, static_cast<uint64>(totals.shape.resolution));
      pq_sendint64(message, totals.shape.frame);
      for (const MomentTotals::Class& c : totals.classes) {
        pq_sendint64(message, static_cast<uint64>(c.count));
        for (const auto* values : {&c.sums, &c.products}) {
          for (const Int128 value : *values) {
            pq_sendint64(message, static_cast<uint64>(static_cast<UInt128>(value) >> 64));
            pq_sendint64(message, static_cast<uint64>(value));
          }
        }
      }
    });
  });
}

State* receive_moments(StringInfo message) {
  MomentShape shape;
  shape.classes = static_cast<int32>(pq_getmsgint(message, 4));
  shape.features = static_cast<int32>(pq_getmsgint(message, 4));
  shape.resolution = pq_getmsgint64(message);
  shape.frame = static_cast<uint64>(pq_getmsgint64(message));
  if (!shape.valid()) return nullptr;
  State* state = new_moments(shape);
  const bool valid = guard([&] {
    MomentTotals totals{shape, std::vector<MomentTotals::Class>(shape.classes)};
    for (MomentTotals::Class& c : totals.classes) {
      c.sums.resize(static_cast<std::size_t>(shape.features));
      c.products.resize(shape.products());
    }
    postgres([&] {
      for (MomentTotals::Class& c : totals.classes) {
        c.count = pq_getmsgint64(message);
        for (auto* values : {&c.sums, &c.products}) {
          for (Int128& value : *values) {
            const UInt128 high = static_cast<uint64>(pq_getmsgint64(message));
            value = static_cast<Int128>(high << 64 | static_cast<uint64>(pq_getmsgint64(message)));
          }
        }
      }
    });
    if (!totals.plausible()) return false;
    ClassMoments(reinterpret_cast<MomentState*>(state)->words).assign(totals);
    return true;
  });
  return valid ? state : nullptr;
}

State* merge_moments(State* own, State* other) {
  const ClassMoments theirs = view(other);
  if (theirs.shape().blank()) return own;
  MomentState* state = of_shape(reinterpret_cast<MomentState*>(own), theirs.shape());
  if (!ClassMoments(state->words).merge(theirs)) corrupt_state(ERRCODE_DATA_CORRUPTED);
  return reinterpret_cast<State*>(state);
}

ArrayType* numbers(State* state) {
  const ClassMoments moments = view(state);
  return numeric_array(0, moments.shape().classes,
                       [&moments](int k) { return static_cast<Int128>(moments.count(k)); });
}

}  // namespace

MomentState* own_moment_state(FunctionCallInfo fcinfo) {
  return own_state<MomentState>(fcinfo, view_of_words<ClassMoments, MomentState>);
}

MomentState* change_shape(MomentState* state, const MomentShape& shape) {
  const ClassMoments moments(state->words);
  if (!moments.shape().blank()) different_frames("class moments");
  return new_word_state<MomentState, ClassMoments>(shape);
}

ClassMoments read_moment_state(Datum state) {
  return view_of_words<ClassMoments>(read_state_of<MomentState>(state));
}

const StateForm moments_form{
    StateKind::moments, "moments",    blank_moments, moments_of_text, text_of_moments,
    receive_moments,    send_moments, merge_moments, numbers,
};

}  // namespace dpmix::pg
