// dpmix.cda_epsilon: what synthetic rows cost. A pure function of public numbers, like the tools of
// pg/noise/planning.cpp.
#include "core/synthetic/cda_epsilon.hpp"

#include <string>

#include "pg/border/guard.hpp"
#include "pg/border/arguments.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_cda_epsilon);
}

namespace dpmix::pg {
namespace {

struct CountArgument {
  bool is_null;
  int64 value;
};

// The rest is inside guard().
std::int64_t required_count(const CountArgument& count, const char* what, const char* range) {
  if (!count.is_null) return count.value;
  refuse_parameter(std::string(what) + " is missing",
                   std::string(what) + " is NULL; it must be " + range + ".",
                   std::string("Give ") + what + " a value.");
}

template <class Value>
Value required_name(const char* text, std::optional<Value> (*read)(std::string_view),
                    const char* what, const char* names) {
  if (text != nullptr) {
    if (const auto value = read(text)) return *value;
  }
  refuse_parameter(
      text == nullptr ? std::string(what) + " is missing" : std::string("unknown ") + what,
      text == nullptr ? std::string(what) + " is NULL."
                      : std::string("There is no ") + what + " \"" + text + "\".",
      std::string("Choose one of ") + names + ".");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cda_epsilon(PG_FUNCTION_ARGS) {
  const CountArgument class_rows{PG_ARGISNULL(0), PG_ARGISNULL(0) ? 0 : PG_GETARG_INT64(0)},
      rows{PG_ARGISNULL(2), PG_ARGISNULL(2) ? 0 : PG_GETARG_INT64(2)};
  const IntegerArgument mix = integer_argument(fcinfo, 1);
  const double clip = float8_argument(fcinfo, 3), scale = float8_argument(fcinfo, 4),
               delta = float8_argument(fcinfo, 5);
  const char* adjacency = text_argument(fcinfo, 6);
  const char* sampler = text_argument(fcinfo, 7);
  const char* accountant = text_argument(fcinfo, 8);
  const double epsilon = guard([&] {
    require(clip, "clip", "between 1e-150 and 1e150");
    require(scale, "scale", "between 1e-150 and 1e150");
    require(delta, "delta", "between 1e-20 and 0.5");
    const MixedRows asked{
        .class_rows = required_count(class_rows, "class_rows", "between 1 and 2^53"),
        .mix = required_count({mix.is_null, mix.value}, "mix", "1 or more"),
        .rows = required_count(rows, "rows_per_class", "between 1 and 2^30"),
        .clip = clip,
        .scale = scale,
        .adjacency =
            required_name(adjacency, adjacency_of, "adjacency", "add_remove, replace and label"),
        .sampler =
            required_name(sampler, cda_sampler_of, "sampler", "poisson and without_replacement")};
    return cda_epsilon(
        asked, delta,
        required_name(accountant, cda_accountant_of, "accountant", "pld, rdp and published"));
  });
  PG_RETURN_FLOAT8(epsilon);
}
