#include "pg/schedule/recipe.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/texts.hpp"
#include "pg/border/value.hpp"
#include "pg/schedule/keys.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/varlena.h"
}

namespace dpmix::pg {
namespace {

constexpr Key kRelation = {"relation", TEXTOID, true}, kInto = {"into", TEXTOID, true};

char* list_of(const Keys& keys) {
  StringInfoData list;
  initStringInfo(&list);
  if (keys.form != RecipeForm::query) appendStringInfoString(&list, "relation, ");
  for (int i = 0; i < keys.count; i++) {
    appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", keys.key[i].name);
  }
  if (keys.form != RecipeForm::model) appendStringInfoString(&list, ", into");
  return list.data;
}

bool is_known(const Keys& keys, const char* name) {
  for (int i = 0; i < keys.count; i++) {
    if (strcmp(keys.key[i].name, name) == 0) return true;
  }
  return (keys.form != RecipeForm::query && strcmp(name, kRelation.name) == 0) ||
         (keys.form != RecipeForm::model && strcmp(name, kInto.name) == 0);
}

const char* word_of(Oid type) {
  switch (type) {
    case FLOAT8OID:
      return "a number";
    case INT4OID:
    case INT8OID:
      return "a whole number";
    case BOOLOID:
      return "true or false";
    case NAMEARRAYOID:
    case TEXTARRAYOID:
      return "an array of strings";
    default:
      return "a string";
  }
}

[[noreturn]] void refuse_type(const Key& key) {
  refuse_argument(psprintf("%s in the spec is not %s", key.name, word_of(key.type)),
                  "Its value has another JSON type, or is out of range.",
                  "Write it as the function that makes the release takes it.");
}

Datum name_of(const Key& key, const char* text) {
  if (strlen(text) >= NAMEDATALEN) refuse_type(key);
  return name_value(text).datum;
}

Datum array_of(const Key& key, const JsonbValue* value) {
  if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) ||
      JsonContainerIsScalar(value->val.binary.data)) {
    refuse_type(key);
  }
  JsonbContainer* container = value->val.binary.data;
  const bool names = key.type == NAMEARRAYOID;
  const int count = JsonContainerSize(container);
  Datum* elements = (Datum*)palloc(sizeof(Datum) * Max(count, 1));
  bool* nulls = (bool*)palloc0(sizeof(bool) * Max(count, 1));
  for (int i = 0; i < count; i++) {
    const JsonbValue* element = getIthJsonbValueFromContainer(container, i);
    nulls[i] = element->type == jbvNull && !names;  // a parameter of a query may be NULL
    elements[i] = (Datum)0;
    if (nulls[i]) continue;
    if (element->type != jbvString) refuse_type(key);
    const char* text = pnstrdup(element->val.string.val, element->val.string.len);
    elements[i] = names ? name_of(key, text) : CStringGetTextDatum(text);
  }
  int lower = 1, size = count;
  return PointerGetDatum(construct_md_array(elements, nulls, count > 0 ? 1 : 0, &size, &lower,
                                            names ? NAMEOID : TEXTOID, names ? NAMEDATALEN : -1,
                                            false, names ? TYPALIGN_CHAR : TYPALIGN_INT));
}

Datum number_of(const Key& key, const JsonbValue* value) {
  if (value->type != jbvNumeric) refuse_type(key);
  const Datum numeric = NumericGetDatum(value->val.numeric);
  if (key.type == FLOAT8OID) {
    // As PostgreSQL reads the digits; beyond its range it is infinite, and refused as such.
    return DirectFunctionCall1(numeric_float8_no_overflow, numeric);
  }
  const Datum limit = DirectFunctionCall1(
      int8_numeric, Int64GetDatum(key.type == INT4OID ? (int64)PG_INT32_MAX : PG_INT64_MAX));
  const Datum whole = DirectFunctionCall2(numeric_trunc, numeric, Int32GetDatum(0));
  if (!DatumGetBool(DirectFunctionCall2(numeric_eq, numeric, whole)) ||
      !DatumGetBool(
          DirectFunctionCall2(numeric_le, DirectFunctionCall1(numeric_abs, numeric), limit))) {
    refuse_type(key);
  }
  return DirectFunctionCall1(key.type == INT4OID ? numeric_int4 : numeric_int8, numeric);
}

Datum value_of(const Key& key, const JsonbValue* value) {
  switch (key.type) {
    case FLOAT8OID:
    case INT4OID:
    case INT8OID:
      return number_of(key, value);
    case BOOLOID:
      if (value->type != jbvBool) refuse_type(key);
      return BoolGetDatum(value->val.boolean);
    case NAMEARRAYOID:
    case TEXTARRAYOID:
      return array_of(key, value);
    default:
      if (value->type != jbvString) refuse_type(key);
      const char* text = pnstrdup(value->val.string.val, value->val.string.len);
      if (key.type == REGCLASSOID) {
        return ObjectIdGetDatum(RangeVarGetRelid(table_name(key.name, text), NoLock, false));
      }
      return key.type == NAMEOID ? name_of(key, text) : CStringGetTextDatum(text);
  }
}

void check_keys(const Keys& keys, const ReleaseKind* kind, Jsonb* spec) {
  JsonbIterator* iterator = JsonbIteratorInit(&spec->root);
  JsonbValue value;
  JsonbIteratorToken token;
  while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
    if (token != WJB_KEY) continue;
    const char* key = pnstrdup(value.val.string.val, value.val.string.len);
    if (is_known(keys, key)) continue;
    refuse_argument(
        psprintf("a spec of kind %s has no \"%s\"", kind->word.data(), quoted_prefix(key)),
        psprintf("It may have %s.", list_of(keys)), "Leave the others out.");
  }
}

// False: left out.
bool find_value(const Key& key, const ReleaseKind* kind, Jsonb* spec, Datum* found) {
  JsonbValue value;
  if (getKeyJsonValueFromContainer(&spec->root, key.name, (int)strlen(key.name), &value) == NULL ||
      value.type == jbvNull) {
    if (!key.required) return false;
    refuse_argument(psprintf("the spec has no %s", key.name),
                    psprintf("A spec of kind %s needs it; it may have %s.", kind->word.data(),
                             list_of(keys_of(kind))),
                    psprintf("Add \"%s\": %s.", key.name, word_of(key.type)));
  }
  *found = value_of(key, &value);
  return true;
}

bool has_key(Jsonb* spec, const char* name) {
  JsonbValue value;
  return getKeyJsonValueFromContainer(&spec->root, name, (int)strlen(name), &value) != NULL &&
         value.type != jbvNull;
}

const char* find_text(const Key& key, const ReleaseKind* kind, Jsonb* spec) {
  Datum found;
  (void)find_value(key, kind, spec, &found);
  return TextDatumGetCString(found);
}

}  // namespace

const ReleaseKind* schedule_kind_of(const char* word) {
  const ReleaseKind* kind = release_kind_of(word);
  if (kind != nullptr && !kind->release.empty()) return kind;
  StringInfoData words;
  initStringInfo(&words);
  const char* last = NULL;
  for (const ReleaseKind& known : release_kinds()) {
    if (known.release.empty()) continue;
    if (last != NULL) appendStringInfo(&words, "%s%s", words.len > 0 ? ", " : "", last);
    last = known.word.data();
  }
  refuse_word("kind", word, psprintf("%s or %s", words.data, last));
}

Recipe* read_recipe(const ReleaseKind* kind, Jsonb* spec) {
  if (!JB_ROOT_IS_OBJECT(spec)) {
    refuse_argument(
        "the spec is not a JSON object", "Arguments are given by name.",
        psprintf("A spec of kind %s may have %s.", kind->word.data(), list_of(keys_of(kind))));
  }
  const Keys keys = keys_of(kind);
  check_keys(keys, kind, spec);
  Recipe* recipe = (Recipe*)palloc0(sizeof(Recipe));
  recipe->kind = kind;
  recipe->form = keys.form;
  if (keys.form == RecipeForm::model && has_key(spec, "source")) {
    recipe->relation = has_key(spec, kRelation.name) ? find_text(kRelation, kind, spec) : NULL;
  } else if (keys.form != RecipeForm::query) {
    recipe->relation = find_text(kRelation, kind, spec);
  }
  if (keys.form != RecipeForm::model) recipe->into = find_text(kInto, kind, spec);
  for (int i = 0; i < keys.count; i++) {
    const Key& key = keys.key[i];
    const int n = recipe->arguments;
    if (n == Recipe::kMaxArguments) elog(ERROR, "too many arguments of a release");
    if (!find_value(key, kind, spec, &recipe->value[n])) continue;
    recipe->name[n] = key.name;
    recipe->type[n] = key.type;
    recipe->arguments++;
  }
  return recipe;
}

const Datum* argument_of(const Recipe* recipe, const char* name) {
  for (int i = 0; i < recipe->arguments; i++) {
    if (strcmp(recipe->name[i], name) == 0) return &recipe->value[i];
  }
  return NULL;
}

char* argument_list(const Recipe* recipe, int first) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < recipe->arguments; i++) {
    appendStringInfo(&list, "%s%s => $%d", i > 0 ? ", " : "", recipe->name[i], first + i);
  }
  return list.data;
}

RangeVar* table_name(const char* key, const char* text) {
  List* parts;
  if (!SplitIdentifierString(pstrdup(text), '.', &parts) || list_length(parts) < 1 ||
      list_length(parts) > 3) {
    refuse_argument(psprintf("%s in the spec is no name of a table", key),
                    psprintf("It is \"%s\".", quoted_prefix(text)),
                    "Write it as in SQL: table, or schema.table.");
  }
  List* names = NIL;
  ListCell* part;
  foreach (part, parts) names = lappend(names, makeString((char*)lfirst(part)));
  return makeRangeVarFromNameList(names);
}

Oid relation_of(const Recipe* recipe) {
  return RangeVarGetRelid(table_name(kRelation.name, recipe->relation), NoLock, false);
}

}  // namespace dpmix::pg
