// dpmix.dashboard: pictures that dpmix drew, on one page. It reads nothing.
#include "core/report/dashboard.hpp"

#include <vector>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dpmix_dashboard);
}

namespace dpmix::pg {
namespace {

constexpr int kMostPictures = 100;
constexpr Size kMostBytes = 64 * 1024 * 1024;  // bytes of all pictures together

struct Pictures {
  std::string_view* svg;
  int count;
};

void require_drawing(std::string_view text, int number) {
  const Size start = text.find_first_not_of(" \t\r\n");
  const bool drawing = start != std::string_view::npos && text[start] == '<' &&
                       text.substr(start, 2000).find("<svg") != std::string_view::npos;
  if (drawing) return;
  refuse_argument(psprintf("picture %d is no SVG document", number),
                  "It does not begin as one does.",
                  "Pass what dpmix.interval_svg, budget_svg or draw returns.");
}

Pictures read_pictures(ArrayType* array) {
  if (ARR_NDIM(array) > 1 || array_contains_nulls(array)) {
    refuse_argument("pictures has a NULL, or several dimensions", "It is a list of pictures.",
                    "Pass ARRAY[dpmix.budget_svg('t'), ...].");
  }
  Datum* datum;
  bool* null;
  Pictures out = {};
  deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &datum, &null, &out.count);
  if (out.count < 1 || out.count > kMostPictures) {
    refuse_argument(psprintf("a page of %d pictures", out.count), "It shows 1 to 100.",
                    "Make several pages.");
  }
  Size bytes = 0;
  out.svg = (std::string_view*)palloc(sizeof(std::string_view) * out.count);
  for (int i = 0; i < out.count; i++) {
    out.svg[i] = as_utf8(TextDatumGetCString(datum[i]));
    bytes += out.svg[i].size();
    require_drawing(out.svg[i], i + 1);
  }
  if (bytes > kMostBytes) {
    refuse_argument("the pictures are too large", psprintf("They have %zu bytes.", bytes),
                    "Make several pages; one has room for 64 MB.");
  }
  return out;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_dashboard(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const std::string_view title = as_utf8(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  const Pictures pictures = read_pictures(PG_GETARG_ARRAYTYPE_P(1));
  PG_RETURN_TEXT_P(guard([&] {
    return text_of(dashboard_page(title, {pictures.svg, (std::size_t)pictures.count}));
  }));
}
