#include "pg/noise/mechanism.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/texts.hpp"

namespace dpmix::pg {
namespace {

constexpr const char *kAuto = "auto", *kAccurate = "accurate";

Family family_named(const char* text, const char* besides) {
  if (const std::optional<Family> family = family_of(text)) return *family;
  refuse_word("mechanism", text,
              guard([&] { return c_string_of("one of " + family_names() + besides); }));
}

}  // namespace

Family family_argument(FunctionCallInfo fcinfo, int n) {
  require_argument(fcinfo, n);
  return family_named(text_argument(fcinfo, n), "");
}

std::optional<Family> mechanism_named(const char* text) {
  if (strcmp(text, kAuto) == 0 || is_accurate(text)) return std::nullopt;
  return family_named(text, ", auto, or accurate");
}

bool is_accurate(const char* text) {
  return strcmp(text, kAccurate) == 0;
}

std::optional<Family> mechanism_argument(FunctionCallInfo fcinfo, int n) {
  require_argument(fcinfo, n);
  return mechanism_named(text_argument(fcinfo, n));
}

}  // namespace dpmix::pg
