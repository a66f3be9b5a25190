#include "pg/ledger/charge_texts.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/json.h"
}

namespace dpmix::pg {
namespace {

constexpr int kNameBytes = 200;  // for the names of further tables

char* json_string(const char* text, int length) {
  StringInfoData out;
  initStringInfo(&out);
  escape_json(&out, pnstrdup(text, length));
  return out.data;
}

}  // namespace

// Names as far as there is space; numbers of all.
void append_other_tables(StringInfo json, const ChargeRequest& request) {
  if (request.other_count == 0) return;
  appendStringInfoString(json, "\"tables\": [");
  for (int i = 0; i < request.other_count; i++) {
    const char* name = request.others[i]->name;
    const char* listed = json_string(name, strlen(name));
    if (json->len + strlen(listed) > kNameBytes) break;
    appendStringInfo(json, "%s%s", i == 0 ? "" : ", ", listed);
  }
  for (int i = 0; i < request.other_count; i++) {
    appendStringInfo(json, "%s" INT64_FORMAT, i == 0 ? "], \"table_ids\": [" : ", ",
                     request.others[i]->id);
  }
  appendStringInfoString(json, "], ");
}

const char* with_clipped_text(const char* name, const char* text, const char* rest) {
  // Escaping lengthens the text, so shorten what is escaped until it fits.
  int length = pg_mbcliplen(text, strlen(text), kParameterBytes);
  char* clipped = json_string(text, length);
  const int space =
      (int)kParameterBytes - (int)strlen(rest) - (int)strlen(name) - (int)strlen("{\"\": , ");
  while (length > 0 && (int)strlen(clipped) > space) {
    length = pg_mbcliplen(text, length, length - 1 - (int)(strlen(clipped) - space) / 6);
    clipped = json_string(text, length);
  }
  return psprintf("{\"%s\": %s, %s", name, clipped, rest);
}

}  // namespace dpmix::pg
