#include "pg/ledger/receipt.hpp"

#include <openssl/evp.h>

#include "pg/border/statement.hpp"

extern "C" {
#include "access/xlog.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

// A table that joined a population began another chain: its own receipts name another account.
Statement newest_receipt = {
    "SELECT e.extversion, "
    "       (SELECT dpmix_internal.receipt_hash(g.receipt) "
    "        FROM unnest(ARRAY(SELECT n.table_id FROM dpmix_internal.table_account n "
    "                          WHERE n.account = $1)) t "
    "        CROSS JOIN LATERAL (SELECT c.id, c.receipt FROM dpmix.charge c WHERE c.table_id = t "
    "                            ORDER BY c.id DESC LIMIT 1) g "
    "        WHERE strpos(g.receipt, format(e'\\naccount=%s\\n', $1)) > 0 "
    "        ORDER BY g.id DESC LIMIT 1) "
    "FROM pg_extension e WHERE e.extname = 'dpmix'"};

void hash_of(ReceiptHash* hash, std::initializer_list<std::pair<const void*, Size>> parts) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
  for (const auto& [bytes, size] : parts) {
    good = good && EVP_DigestUpdate(context, bytes, size) == 1;
  }
  good = good && EVP_DigestFinal_ex(context, digest, NULL) == 1;
  EVP_MD_CTX_free(context);
  if (!good) elog(ERROR, "could not compute SHA-256");
  hex_encode((const char*)digest, hash->size() / 2, hash->data());
  hash->back() = '\0';
}

bytea* new_salt() {
  bytea* salt = (bytea*)palloc(VARHDRSZ + kSaltBytes);
  SET_VARSIZE(salt, VARHDRSZ + kSaltBytes);
  if (!pg_strong_random(VARDATA(salt), kSaltBytes)) elog(ERROR, "could not draw random bytes");
  return salt;
}

const char* number_at(JsonbContainer* object, const char* key) {
  const JsonbValue* value = getKeyJsonValueFromContainer(object, key, (int)strlen(key), NULL);
  if (value == NULL || value->type != jbvNumeric) return NULL;
  return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

// Of each statistic that the record lists: what a neighbour moves it by, and the scale of its
// noise.
void append_noise(StringInfo lines, Jsonb* parameters) {
  const JsonbValue* list =
      getKeyJsonValueFromContainer(&parameters->root, "statistics", strlen("statistics"), NULL);
  if (list == NULL || list->type != jbvBinary || !JsonContainerIsArray(list->val.binary.data)) {
    return;
  }
  const char* separator = "noise=";
  for (uint32 i = 0; i < JsonContainerSize(list->val.binary.data); i++) {
    const JsonbValue* one = getIthJsonbValueFromContainer(list->val.binary.data, i);
    if (one->type != jbvBinary || !JsonContainerIsObject(one->val.binary.data)) continue;
    const char* sensitivity = number_at(one->val.binary.data, "sensitivity");
    const char* scale = number_at(one->val.binary.data, "scale");
    if (sensitivity == NULL || scale == NULL) continue;
    appendStringInfo(lines, "%s%s/%s", separator, sensitivity, scale);
    separator = ",";
  }
  if (*separator == ',') appendStringInfoChar(lines, '\n');
}

void append_time(StringInfo lines, TimestampTz at) {
  struct pg_tm time;
  fsec_t microseconds;
  if (timestamp2tm(at, NULL, &time, &microseconds, NULL, NULL) != 0) {
    elog(ERROR, "the time of a charge is out of range");
  }
  appendStringInfo(lines, "at=%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", time.tm_year, time.tm_mon,
                   time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec, (int)microseconds);
}

}  // namespace

ReceiptChain read_receipt_chain(int64 account) {
  ReceiptChain chain = {};
  (void)read_rows(newest_receipt, {account});
  const ResultRow row;
  strlcpy(chain.version, row.text(1), sizeof chain.version);
  strlcpy(chain.head.data(), row.is_null(2) ? "none" : row.text(2), chain.head.size());
  return chain;
}

Receipt receipt_of(const ChargeOrder& order, const ChargeCost& cost, int64 id, TimestampTz at,
                   int64 account, const ReceiptChain& chain, const char* blocks,
                   Jsonb* parameters) {
  Receipt receipt = {new_salt(), NULL, {}};
  const char* asked = JsonbToCString(NULL, &parameters->root, VARSIZE(parameters));
  ReceiptHash statement;
  hash_of(&statement, {{VARDATA(receipt.salt), kSaltBytes}, {asked, strlen(asked)}});

  StringInfoData lines;
  initStringInfo(&lines);
  appendStringInfo(&lines, "receipt=1\nledger=" UINT64_FORMAT "/%u\n", GetSystemIdentifier(),
                   MyDatabaseId);
  appendStringInfo(&lines, "charge=" INT64_FORMAT "\naccount=" INT64_FORMAT "\nprevious=%s\n", id,
                   account, chain.head.data());
  appendStringInfo(&lines, "statement=%s\n", statement.data());
  // Not converted: not every text of every encoding is one of UTF-8.
  if (GetDatabaseEncoding() != PG_UTF8) {
    appendStringInfo(&lines, "encoding=%s\n", GetDatabaseEncodingName());
  }
  appendStringInfo(&lines, "neighbours=%s\naccountant=%s\n", name(order.adjacency).data(),
                   name(order.accountant).data());
  if (order.accountant == Accountant::renyi) {
    appendStringInfo(&lines, "renyi_order=%.17g\n", order.order);
  }
  appendStringInfo(&lines, "epsilon=%s\ndelta=%s\ncost=%s\ncost_delta=%s\n", cost.epsilon,
                   cost.delta, cost.amount, cost.added_delta);
  if (blocks != NULL) appendStringInfo(&lines, "blocks=%s\n", blocks);
  appendStringInfo(&lines, "kind=%s\nmechanism=%s\n", order.kind, order.mechanism);
  append_noise(&lines, parameters);
  appendStringInfo(&lines, "version=%s\n", chain.version);
  append_time(&lines, at);

  hash_of(&receipt.hash, {{lines.data, (Size)lines.len}, {"\n", 1}});
  receipt.lines = cstring_to_text_with_len(lines.data, lines.len);
  return receipt;
}

}  // namespace dpmix::pg
