#include "pg/memory/items.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/ledger/sights.hpp"
#include "pg/memory/settings.hpp"

extern "C" {
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

// A clock that was set back must not keep an answer for ever.
#define DPMIX_DRAWS                                                                      \
  "SELECT u.n::int, i.chain_at, i.made_at, i.law, i.charges, octet_length(i.content), "  \
  "       CASE WHEN $3 THEN i.content END "                                              \
  "FROM unnest($1) WITH ORDINALITY u(key, n) JOIN dpmix.memory_item i ON i.key = u.key " \
  "WHERE i.chain_at > clock_timestamp() - make_interval(secs => $2) "                    \
  "  AND i.made_at < clock_timestamp() + interval '1 minute' "
#define DPMIX_IN_ORDER "ORDER BY u.n, i.chain_at, i.made_at"

Statement draws_of_keys = {DPMIX_DRAWS DPMIX_IN_ORDER};
// $4: a role for each charge; 0: of a table whose owner asks, who sees all.
Statement seen_draws_of_keys = {
    DPMIX_DRAWS
    "  AND NOT EXISTS ("
    "    SELECT FROM unnest(i.charges, $4) x(id, role) JOIN dpmix.charge c ON c.id = x.id "
    "    WHERE x.role <> 0 AND " DPMIX_NOT_SEEN_BY("x.role") ") " DPMIX_IN_ORDER};

Statement insert_draw = {
    "INSERT INTO dpmix.memory_item (key, holder, table_ids, grants, chain_at, made_at, statistic, "
    "  mechanism, noise_stddev, groups, law, charges, content) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"};

Statement forget_expired = {
    "DELETE FROM dpmix.memory_item "
    "WHERE holder = $1 AND made_at < clock_timestamp() - make_interval(secs => $2)"};

// The newest that fit stay.
Statement evict = {
    "DELETE FROM dpmix.memory_item WHERE ctid IN ("
    "  SELECT s.ctid FROM (SELECT ctid, sum(octet_length(content) + $3) "
    "      OVER (ORDER BY made_at DESC, ctid) AS bytes FROM dpmix.memory_item WHERE holder = $1) s "
    "  WHERE s.bytes > $2)"};

// Intervals are made of such numbers; centuries are as good as for ever.
double as_interval(double seconds) {
  constexpr double kMost = 1e10;
  return Min(seconds, kMost);
}

Value bytes_value(const void* bytes, Size size) {
  bytea* made = (bytea*)palloc(VARHDRSZ + size);
  SET_VARSIZE(made, VARHDRSZ + size);
  memcpy(VARDATA(made), bytes, size);
  return {BYTEAOID, PointerGetDatum(made)};
}

Value digests(const Digest* keys, int count) {
  Datum* elements = (Datum*)palloc(sizeof(Datum) * Max(count, 1));
  for (int i = 0; i < count; i++) elements[i] = bytes_value(keys[i].bytes, kDigestBytes).datum;
  return {BYTEAARRAYOID,
          PointerGetDatum(construct_array(elements, count, BYTEAOID, -1, false, TYPALIGN_INT))};
}

int64* charges_in(const ResultRow& row, int column, int* count) {
  const ArrayType* array = DatumGetArrayTypeP(row.copy(column));
  *count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  return (int64*)ARR_DATA_PTR(array);
}

bool read_draw(const ResultRow& row, StoredDraw* draw) {
  *draw = {};
  draw->key = row.int4(1) - 1;
  draw->chain = row.time(2);
  draw->at = row.time(3);
  const bytea* law = DatumGetByteaPP(row.copy(4));
  if (VARSIZE_ANY_EXHDR(law) != sizeof(NoiseLaw)) return false;
  memcpy((void*)&draw->law, VARDATA_ANY(law), sizeof(NoiseLaw));
  draw->charge = charges_in(row, 5, &draw->charges);
  draw->size = (Size)row.int4(6);
  if (!row.is_null(7)) draw->content = VARDATA_ANY(DatumGetByteaPP(row.copy(7)));
  return true;
}

void write_draw(const MemoryTerms& terms, const NewDraw& draw) {
  int64* ids = (int64*)palloc(sizeof(int64) * terms.tables);
  const char** grants = (const char**)palloc(sizeof(char*) * terms.tables);
  for (int i = 0; i < terms.tables; i++) {
    ids[i] = terms.table[i].table_id;
    grants[i] = terms.table[i].grant;
  }
  (void)write_rows(
      insert_draw,
      {bytes_value(draw.key.bytes, kDigestBytes), bytes_value(draw.holder.bytes, kDigestBytes),
       int8_array(ids, terms.tables), text_array(grants, terms.tables), time_value(draw.chain),
       time_value(draw.at), draw.statistic, draw.mechanism, draw.noise_stddev, draw.groups,
       bytes_value(&draw.law, sizeof draw.law), int8_array(draw.charge, terms.tables),
       bytes_value(draw.content, draw.size)});
}

}  // namespace

StoredDraws read_draws(const Digest* keys, int count, const Readable& readable, bool contents) {
  StoredDraws found = {};
  as_catalog_owner([&] {
    const Value key = digests(keys, count), seconds = as_interval(readable.seconds);
    const uint64 rows =
        readable.seen_by == NULL
            ? read_rows(draws_of_keys, {key, seconds, contents})
            : read_rows(seen_draws_of_keys,
                        {key, seconds, contents, oid_array(readable.seen_by, readable.tables)});
    found.draw = (StoredDraw*)SPI_palloc(sizeof(StoredDraw) * (rows + 1));
    for (uint64 i = 0; i < rows; i++) {
      found.count += read_draw(ResultRow{i}, &found.draw[found.count]);
    }
  });
  return found;
}

void write_draws(const MemoryTerms& terms, const NewDraw* draws, int count) {
  if (count == 0) return;
  as_catalog_owner([&] {
    for (int i = 0; i < count; i++) write_draw(terms, draws[i]);
    const Value holder = bytes_value(draws[0].holder.bytes, kDigestBytes);
    (void)write_rows(forget_expired, {holder, as_interval(terms.keep_seconds)});
    (void)write_rows(evict, {holder, grant_limit_bytes(), kItemBytes});
  });
}

}  // namespace dpmix::pg
