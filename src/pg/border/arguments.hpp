// The arguments of SQL functions. Every function reads them here, so that one mistake has one
// wording; PV005.
#pragma once

#include <optional>
#include <string_view>

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// None of the first `count` may be NULL; or this one.
void require_arguments(FunctionCallInfo fcinfo, int count);
void require_argument(FunctionCallInfo fcinfo, int n);
// This one has no default, though SQL gives it NULL so that it is missed here. example: how to
// write it.
void require_stated(FunctionCallInfo fcinfo, int n, const char* example);

// NULL: what stands for it.
inline const char* text_argument(FunctionCallInfo fcinfo, int n, const char* otherwise = NULL) {
  return PG_ARGISNULL(n) ? otherwise : text_to_cstring(PG_GETARG_TEXT_PP(n));
}
inline const char* name_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? NULL : NameStr(*PG_GETARG_NAME(n));
}
inline std::optional<double> float8_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? std::nullopt : std::optional<double>(PG_GETARG_FLOAT8(n));
}
inline std::optional<int> int4_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? std::nullopt : std::optional<int>(PG_GETARG_INT32(n));
}

// The name of an argument, as it was declared.
const char* parameter_name(FunctionCallInfo fcinfo, int n);
// A whole number that has to lie in a range, both ends included.
void require_range(const char* what, int64 value, int64 least, int64 most, const char* hint);
void require_range(FunctionCallInfo fcinfo, int n, int64 value, int64 least, int64 most,
                   const char* hint);

// words: those that there are, as in "balanced or proportional".
[[noreturn]] void refuse_word(const char* what, const char* word, const char* words);
// One of these words. otherwise: the word that NULL stands for; NULL: none, so the argument is
// required.
template <class Word>
Word word_argument(FunctionCallInfo fcinfo, int n, const char* otherwise,
                   std::optional<Word> (*read)(std::string_view), const char* words) {
  if (otherwise == NULL) require_argument(fcinfo, n);
  const char* text = text_argument(fcinfo, n, otherwise);
  const std::optional<Word> word = read(text);
  if (!word) refuse_word(parameter_name(fcinfo, n), text, words);
  return *word;
}

double checked_level(double level);  // level of an interval, between 0 and 1

// epsilon and delta of a release with Gaussian noise: this argument and the next, not NULL.
struct Guarantee {
  double epsilon, delta;
};
Guarantee gaussian_guarantee(FunctionCallInfo fcinfo, int n);

}  // namespace dpmix::pg
