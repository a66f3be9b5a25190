#include "pg/query/recall/found_groups.hpp"

#include "pg/border/guard.hpp"
#include "pg/query/safe/expression.hpp"

extern "C" {
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

struct Header {
  uint8 id[kGroupsIdBytes];
  double kept_from, kept_from_of_busy;  // units, half of the time (KeptFrom)
  int64 count;
};

KeptFrom half_kept_from(const PricedQuery* priced) {
  return guard([&] { return kept_from(priced->plan.search); });
}

}  // namespace

const char* half_kept_text(const PricedQuery* priced) {
  const KeptFrom kept = half_kept_from(priced);
  const char* text = psprintf("about %.0f people", kept.half);
  if (kept.half_of_busy == kept.half) return text;
  return psprintf("%s in no other group, or %.0f who are in %d each,", text, kept.half_of_busy,
                  priced->plan.search.keys);
}

const char* found_keys(const PricedQuery* priced) {
  StringInfoData text;
  initStringInfo(&text);
  for (int k = 0; k < priced->groups->keys; k++) {
    if (!priced->groups->key[k].found) continue;
    appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
                     expression_text(&priced->scope, (Node*)priced->shape->key[k].expression));
  }
  return text.data;
}

Digest key_of_found_groups(const MemoryTerms& terms, const Digest& query) {
  StringInfoData text;
  initStringInfo(&text);
  appendBinaryStringInfo(&text, (const char*)query.bytes, kDigestBytes);
  appendStringInfoString(&text, " groups found");
  return keyed_digest(terms, text.data, (Size)text.len);
}

FoundGroups read_found_groups(const PricedQuery* priced, const StoredDraw& stored) {
  FoundGroups found = {};
  Header header;
  if (stored.size < sizeof header) return found;
  memcpy((void*)&header, stored.content, sizeof header);
  const KeptFrom wanted = half_kept_from(priced);
  if (header.kept_from > wanted.half || header.kept_from_of_busy > wanted.half_of_busy) {
    return found;
  }
  memcpy(found.id, header.id, sizeof found.id);
  found.count = header.count;
  const int keys = priced->groups->keys;
  found.key = (NullableDatum*)palloc(sizeof(NullableDatum) * Max(found.count * keys, 1));
  char* at = (char*)stored.content + sizeof header;
  for (int64 i = 0; i < found.count * keys; i++) {
    found.key[i].value = datumRestore(&at, &found.key[i].isnull);
  }
  found.known = at == stored.content + stored.size;
  return found;
}

StringInfoData begin_found_groups(const PricedQuery* priced, const uint8* id) {
  Header header = {};
  memcpy(header.id, id, sizeof header.id);
  const KeptFrom kept = half_kept_from(priced);
  header.kept_from = kept.half;
  header.kept_from_of_busy = kept.half_of_busy;
  StringInfoData content;
  initStringInfo(&content);
  appendBinaryStringInfo(&content, (const char*)&header, sizeof header);
  return content;
}

void append_found_key(StringInfo content, const KeyColumn* key, NullableDatum found) {
  Datum value = found.value;
  int16 length;
  bool by_value;
  get_typlenbyval(key->shown_type, &length, &by_value);
  if (length == -1 && !found.isnull) value = PointerGetDatum(PG_DETOAST_DATUM(value));
  const Size size = datumEstimateSpace(value, found.isnull, by_value, length);
  enlargeStringInfo(content, (int)size);
  char* end = content->data + content->len;
  datumSerialize(value, found.isnull, by_value, length, &end);
  content->len += (int)size;
}

void end_found_groups(StringInfo content, int64 count) {
  memcpy(content->data + offsetof(Header, count), &count, sizeof count);
}

}  // namespace dpmix::pg
