// state: what a public record of a table says in its owner's words (dpmix.registry_record).
#include <cstring>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
PG_FUNCTION_INFO_V1(dpmix_state);
}

namespace dpmix::pg {
namespace {

constexpr int kMostBytes = 10000;

// What may be stated, as the schema of the registry of deployments has it. words: NULL: any.
struct Stated {
  const char* key;
  const char* words[7];
};
constexpr Stated kStated[] = {
    {"name", {}},
    {"data_curators", {}},
    {"description", {}},
    {"intended_use", {}},
    {"data_product_type",
     {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
      "Interactive API", "SQL queries"}},
    {"data_product_region", {}},
    {"data_product_sector",
     {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"}},
    {"data_source_type", {"Static", "Dynamic"}},
    {"actors", {}},
    {"preprocessing_and_hyperparameter_tuning", {}},
    {"post_processing", {}},
    {"justification", {}},
    {"sources", {}},
    {"notes", {}},
    {"registry_authors", {}},
};

const Stated* stated_of(const char* key) {
  StringInfoData keys;
  initStringInfo(&keys);
  for (const Stated& one : kStated) {
    if (strcmp(one.key, key) == 0) return &one;
    appendStringInfo(&keys, "%s%s", keys.len > 0 ? ", " : "", one.key);
  }
  refuse_word("key", key, keys.data);
}

void check_words(const Stated& stated, const char* said) {
  if (strlen(said) > (size_t)kMostBytes) {
    refuse_argument(psprintf("the words for %s are too long", stated.key),
                    psprintf("They have %zu bytes.", strlen(said)),
                    psprintf("State at most %d, and name a document for more.", kMostBytes));
  }
  if (said[strspn(said, " \t\r\n")] == '\0') {
    refuse_argument(psprintf("the words for %s are empty", stated.key), NULL,
                    "NULL takes back what was stated.");
  }
  if (stated.words[0] == NULL) return;
  StringInfoData words;
  initStringInfo(&words);
  for (const char* word : stated.words) {
    if (word == NULL) break;
    if (strcmp(word, said) == 0) return;
    appendStringInfo(&words, "%s%s", words.len > 0 ? ", " : "", word);
  }
  refuse_word(stated.key, said, words.data);
}

Statement upsert_statement = {
    "INSERT INTO dpmix.stated (table_id, key, words, role, at) "
    "VALUES ($1, $2, $3, session_user, clock_timestamp()) ON CONFLICT (table_id, key) "
    "DO UPDATE SET words = excluded.words, role = excluded.role, at = excluded.at"};

Statement delete_statement = {"DELETE FROM dpmix.stated WHERE table_id = $1 AND key = $2"};

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_state(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const CatalogRow* row = open_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
  const Stated* stated = stated_of(text_to_cstring(PG_GETARG_TEXT_PP(1)));
  if (PG_ARGISNULL(2)) {
    as_catalog_owner([&] { (void)write_rows(delete_statement, {row->id, stated->key}); });
    PG_RETURN_VOID();
  }
  const char* said = text_to_cstring(PG_GETARG_TEXT_PP(2));
  check_words(*stated, said);
  as_catalog_owner([&] { (void)write_rows(upsert_statement, {row->id, stated->key, said}); });
  PG_RETURN_VOID();
}
