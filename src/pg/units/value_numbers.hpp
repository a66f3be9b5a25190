// Values of rows, or tuples of them, numbered 0, 1, 2, ... as they come: equal ones alike, by the
// equality of their types that GROUP BY goes by (of texts: that of bytes).
//
// Hashes are keyed with fresh random bits: whoever writes rows cannot make them collide.
#pragma once

#include "core/base/blocks.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct ValueKinds;    // those of a tuple's columns
struct ValueNumbers;  // those of the tuples that came

constexpr uint32 kNoNumber = PG_UINT32_MAX;

// Whether values of a type can be told apart by their hashes.
bool has_hashes(Oid type);
ValueKinds* value_kinds(int columns, const Oid* types);
// Whether hash_of_values() tells values apart as well as random bits would: of whole numbers and
// bytes it is dpmix's own, the functions of other types are not made for that.
bool has_even_hashes(const ValueKinds* kinds);
// Whether a ReadValue is the value itself, and outlives the row.
bool are_bits(const ValueKinds* kinds);
// That the first of them makes numbers take, besides itself: large pages, and room for texts.
constexpr double kNumbersAtFirst = 2. * kLargePage + (64 << 10);
// That one of them takes, at most, where texts are as long as the planner takes them for.
double bytes_of_value(const ValueKinds* kinds);
bool has_texts(const ValueKinds* kinds);  // or others that are as long as they like

// They end with the current memory context. notes: words beside each number, 0 at first, for
// whoever numbers them.
ValueNumbers* value_numbers(const ValueKinds* kinds, uint64 seed, int notes = 1);

// A value as it is compared.
struct ReadValue {
  uint64 word;  // its bits, or where it is
  Size bytes;   // there, if it is bytes
};
// Nothing of a tuple is NULL. In a context that is soon reset, for as long as that and `values`.
void read_values(const ValueKinds* kinds, const Datum* values, ReadValue* read);

// The hash of a tuple, keyed by the seed; one of a single column whose values are bits has a hash
// of its own.
uint64 hash_of_values(const ValueKinds* kinds, uint64 seed, const ReadValue* values);

// The number that was found or added last, if the tuple has it; else kNoNumber. Without a hash.
uint32 last_number(const ValueNumbers* numbers, const ReadValue* values);
uint64 value_hash(const ValueNumbers* numbers, const ReadValue* values);
// Ahead of the next two, where many tuples are sought one after the other: memory that they look at
// first is fetched, and when it is there, what they look at then.
void fetch_place(const ValueNumbers* numbers, uint64 hash);
void fetch_values(const ValueNumbers* numbers, uint64 hash);
uint32 find_number(ValueNumbers* numbers, uint64 hash, const ReadValue* values);  // or kNoNumber
uint32 add_number(ValueNumbers* numbers, uint64 hash, const ReadValue* values);   // or its own

// One of the words beside each number.
class NumberNotes {
 public:
  NumberNotes(Blocks<uint64>* words, int width, int note)
      : words_(words), width_(width), note_(note) {}
  Size size() const { return words_->size() / width_; }
  uint64& operator[](Size number) const { return (*words_)[number * width_ + note_]; }

 private:
  Blocks<uint64>* words_;
  int width_, note_;
};
NumberNotes notes_of(ValueNumbers* numbers, int note = 0);

}  // namespace dpmix::pg
