// How long texts are, where that is summed.
//
// The owner may bound the number of characters that values of a column count as having
// (dpmix.set_bounds). Values may be longer or shorter all the same: lengths are clamped, as numbers
// of bounded columns are. Functions of texts have these bounds of theirs; memory rests on what is
// certain (SafePart's characters and bytes), never on them.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool is_text(Oid type);  // text, varchar, char

// How many characters a part counts as having: as the owner says, or as many as there can be.
ValueInterval counted_length(const SafePart* part);
// The length of what is left of a text, `most` characters at most; that of one text behind another.
ValueInterval shorter(const ValueInterval& length,
                      double most = std::numeric_limits<double>::infinity());
ValueInterval together(const ValueInterval& a, const ValueInterval& b);

// A call of length or octet_length, where a character has so many bytes at most (1: characters are
// counted).
SafePart length_part(const SafeCall* call, int most);

}  // namespace dpmix::pg
