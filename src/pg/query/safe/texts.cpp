#include "pg/query/safe/texts.hpp"

#include "pg/border/compat.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/text_lengths.hpp"
#include "pg/rows/arithmetic.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_alone.hpp"
#include "pg/trees/allow_list.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"  // VARSIZE
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLongestResult = 128.0 * 1024 * 1024;
constexpr double kNoted = sizeof(char*) + sizeof(int);
constexpr double kConverted = 2 * sizeof(wchar_t);
constexpr double kOrdered = 3;  // a text as it is, and twice as a collation wants it
constexpr double kHashed = 64;
constexpr Oid kEqualities[] = {F_TEXTEQ, F_TEXTNE};
constexpr int kMostWildcards = 100;  // each is a step of recursion
constexpr int32 kMostCharacters = 1 << 24;

enum class TextKind {
  same_length,  // or shorter
  change_case,
  trim,
  leading,  // left, right: how many characters; negative: all but so many
  substring,
  concatenate,
  length,
  bytes,
  position,
  starts_with,
  like,
  like_any_case,
};

struct TextFunction {
  Oid function;
  TextKind kind;
};

// clang-format off
constexpr TextFunction kTexts[] = {
    {F_TEXT_BPCHAR, TextKind::same_length},
    {F_LOWER_TEXT, TextKind::change_case}, {F_UPPER_TEXT, TextKind::change_case},
    {F_INITCAP, TextKind::change_case},
    {F_BTRIM_TEXT, TextKind::trim}, {F_LTRIM_TEXT, TextKind::trim}, {F_RTRIM_TEXT, TextKind::trim},
    {F_BTRIM_TEXT_TEXT, TextKind::trim}, {F_LTRIM_TEXT_TEXT, TextKind::trim},
    {F_RTRIM_TEXT_TEXT, TextKind::trim},
    {F_LEFT, TextKind::leading}, {F_RIGHT, TextKind::leading},
    {F_SUBSTR_TEXT_INT4, TextKind::substring}, {F_SUBSTR_TEXT_INT4_INT4, TextKind::substring},
    {F_SUBSTRING_TEXT_INT4, TextKind::substring}, {F_SUBSTRING_TEXT_INT4_INT4, TextKind::substring},
    {F_TEXTCAT, TextKind::concatenate},
    {F_LENGTH_TEXT, TextKind::length}, {F_LENGTH_BPCHAR, TextKind::length},
    {F_CHAR_LENGTH_TEXT, TextKind::length}, {F_CHAR_LENGTH_BPCHAR, TextKind::length},
    {F_CHARACTER_LENGTH_TEXT, TextKind::length}, {F_CHARACTER_LENGTH_BPCHAR, TextKind::length},
    {F_OCTET_LENGTH_TEXT, TextKind::bytes}, {F_OCTET_LENGTH_BPCHAR, TextKind::bytes},
    {F_STRPOS, TextKind::position}, {F_POSITION_TEXT_TEXT, TextKind::position},
    {F_STARTS_WITH, TextKind::starts_with},
    {F_TEXTLIKE, TextKind::like}, {F_TEXTNLIKE, TextKind::like}, {F_LIKE_TEXT_TEXT, TextKind::like},
    {F_NOTLIKE_TEXT_TEXT, TextKind::like}, {F_BPCHARLIKE, TextKind::like}, {F_BPCHARNLIKE, TextKind::like},
    {F_TEXTICLIKE, TextKind::like_any_case}, {F_TEXTICNLIKE, TextKind::like_any_case},
    {F_BPCHARICLIKE, TextKind::like_any_case}, {F_BPCHARICNLIKE, TextKind::like_any_case},
};
// clang-format on

// A text that fits a page may have been compressed: LZ4 makes at most 255 bytes of one.
constexpr double kLongestInRow = 255. * BLCKSZ;

Expr* relabelled(Expr* text, Oid type) {
  if (exprType((Node*)text) == type) return text;
  return (Expr*)makeRelabelType(text, type, -1, exprCollation((Node*)text), COERCE_IMPLICIT_CAST);
}

// What a block of so many bytes takes. Small ones are rounded up, and come in blocks that double.
double taken_for(double bytes) {
  constexpr double kMostRounding = 24 * 1024, kHeaders = 128;
  return bytes + Min(3 * bytes, kMostRounding) + kHeaders;
}

void check_row_bytes(const RowScope* scope, const char* name) {
  const double bytes = scope->bytes->staying + scope->bytes->passing;
  if (bytes <= row_memory_bytes()) return;
  refuse_construct(psprintf("%s where the texts of one row can take %.0f kB, and dpmix.row_memory "
                            "is %.0f kB, is",
                            name, bytes / 1024, row_memory_bytes() / 1024),
                   "Shorten the texts first, with left(x, n), or compute fewer of them at once; or "
                   "let an administrator raise dpmix.row_memory.");
}

// What one row's evaluation allocates is given back after the row, not before.
void take_memory(const SafeCall* call, double bytes) {
  const RowScope* scope = call->compiler->scope;
  scope->bytes->staying += taken_for(bytes);
  check_row_bytes(scope, call->name);
}

// But for this, which is given back as the function returns.
void pass_memory(const RowScope* scope, double bytes, const char* name) {
  scope->bytes->passing = Max(scope->bytes->passing, taken_for(bytes));
  check_row_bytes(scope, name);
}

Expr* limited(const char* function, Expr* text, List* limit = NIL) {
  const Oid type = exprType((Node*)text);
  List* arguments = lcons(relabelled(text, TEXTOID), limit);
  FuncExpr* checked = (FuncExpr*)call_dpmix(function, TEXTOID, arguments);
  checked->funccollid = checked->inputcollid = exprCollation((Node*)text);
  return relabelled((Expr*)checked, type);
}

// A text that is at most 1 MB long, or NULL: in place of one of any length.
void shorten(const SafeCall* call, SafePart* part) {
  if (part->short_text) return;
  part->value = limited("short_text", part->value);
  part->short_text = true;
  part->bytes = Min(part->bytes, (double)kLongestText);
  take_memory(call, part->bytes);
}

// Whether a text may be longer than a page lets it be. On other nodes nobody asks.
bool may_be_long(const RowScope* scope) {
  if (scope->outer != NULL && may_be_long(scope->outer)) return true;
  for (int i = 0; i < scope->sources->count; i++) {
    ListCell* cell;
    foreach (cell, relations_of(&scope->sources->source[i])) {
      const Oid relation = lfirst_oid(cell);
      if (!is_distributed(relation) && has_values_elsewhere(relation, true)) return true;
    }
  }
  return false;
}

bool is_column(const Expr* value) {
  while (IsA(value, RelabelType)) value = ((const RelabelType*)value)->arg;
  return IsA(value, Var);
}

// What a comparison makes of a text before it looks at it, at most.
double compared_bytes(const RowScope* scope, SafePart* part) {
  if (part->short_text || part->bytes <= kLongestText) return part->bytes;
  if (!may_be_long(scope)) return kLongestInRow;
  part->value = limited("comparable_text", part->value);
  part->short_text = true;
  return part->bytes = (double)kLongestText;
}

void require_deterministic(const SafeCall* call) {
  if (OidIsValid(call->collation) && get_collation_isdeterministic(call->collation)) return;
  refuse_construct(psprintf("%s under a collation that is not deterministic is", call->name),
                   "Add COLLATE \"C\", or another collation of pg_catalog, to the text.");
}

constexpr Oid kPosixCollation = 951;  // pinned; PostgreSQL 18 has no name for it

bool is_of_icu(Oid collation) {
  HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
  char provider = ((Form_pg_collation)GETSTRUCT(tuple))->collprovider;
  ReleaseSysCache(tuple);
  if (provider == COLLPROVIDER_DEFAULT) {
    tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
    provider = ((Form_pg_database)GETSTRUCT(tuple))->datlocprovider;
    ReleaseSysCache(tuple);
  }
  return provider == COLLPROVIDER_ICU;
}

void require_case_rules(const SafeCall* call) {
  if (!is_own_collation(call->collation)) {
    refuse_construct(psprintf("%s under a user-defined collation is", call->name),
                     "Add COLLATE \"C\", or another collation of pg_catalog, to the text.");
  }
  if (call->function == F_INITCAP && is_of_icu(call->collation)) {  // it looks for words in a file
    refuse_construct("initcap under a collation of ICU is", "Add COLLATE \"C\" to the text.");
  }
  const bool converts = pg_database_encoding_max_length() > 1 && GetDatabaseEncoding() != PG_UTF8 &&
                        call->collation != C_COLLATION_OID && call->collation != kPosixCollation;
  if (converts) {
    refuse_construct(
        psprintf("%s in a database whose encoding is %s is", call->name, GetDatabaseEncodingName()),
        "Add COLLATE \"C\" to the text, which changes ASCII letters only.");
  }
}

// A pattern that ends in its escape character raises, but only at a text that gets so far.
void check_pattern(const SafeCall* call) {
  const Node* pattern = call->argument[1];
  if (IsA(pattern, Const) && ((const Const*)pattern)->constisnull) return;
  if (!is_constant(pattern)) {
    refuse_construct(psprintf("%s with a pattern that is not a constant is", call->name),
                     "Write the pattern as a constant, or pass it as $1 with params.");
  }
  const text* bytes = DatumGetTextPP(constant_value(pattern));
  const char* at = VARDATA_ANY(bytes);
  const char* const end = at + VARSIZE_ANY_EXHDR(bytes);
  int wildcards = 0;
  bool escaped = false;
  for (; at < end; at++) {
    escaped = !escaped && *at == '\\';
    if (*at == '%') wildcards++;
  }
  if (escaped) {
    refuse_construct(psprintf("%s with a pattern that ends in its escape character is", call->name),
                     "Double the backslash at the end, or name another character with ESCAPE.");
  }
  if (wildcards > kMostWildcards) {
    refuse_construct(psprintf("%s with more than %d wildcards %% is", call->name, kMostWildcards),
                     "Split the pattern into several conditions.");
  }
}

int32 constant_length(const SafeCall* call, int argument, int32 least) {
  const Node* node = call->argument[argument];
  if (is_constant(node)) {
    const int32 length = DatumGetInt32(constant_value(node));
    if (length >= least && length <= kMostCharacters) return length;
  }
  refuse_construct(psprintf("%s with a position or length that is not a constant from %d to %d is",
                            call->name, least, kMostCharacters),
                   "Write positions and lengths as constants.");
}

void require_short_result(const SafePart* part, const char* name) {
  if (part->bytes <= kLongestResult) return;
  refuse_construct(psprintf("%s where the result can exceed 128 MB is", name),
                   "Shorten the texts first, with left(x, n).");
}

SafePart text_part(const SafeCall* call, double characters, double bytes,
                   const ValueInterval& length) {
  SafePart part = same_call(call);
  part.short_text = true;
  part.length = length;
  part.characters = characters;
  part.bytes = bytes;
  require_short_result(&part, call->name);
  take_memory(call, part.bytes);
  return part;
}

SafePart position_part(const SafeCall* call, double most) {
  SafePart part = same_call(call);
  part.range = {0, most, true};
  return part;
}

SafePart part_of_kind(const SafeCall* call, TextKind kind) {
  const SafePart* text = &call->part[0];
  const ValueInterval counted = counted_length(text);
  switch (kind) {
    case TextKind::same_length:
      return text_part(call, text->characters, text->bytes, counted);
    case TextKind::trim: {  // which notes where each character is, also of those that it trims
      const double others = call->count > 1 ? call->part[1].bytes : 0;
      pass_memory(call->compiler->scope, kNoted * (text->bytes + others), call->name);
      return text_part(call, text->characters, text->bytes, shorter(counted));
    }
    case TextKind::change_case:  // one character may become three
      require_case_rules(call);
      pass_memory(call->compiler->scope, kConverted * text->bytes, call->name);
      return text_part(call, 3 * text->characters, 3 * text->bytes, counted);
    case TextKind::leading: {
      const int32 length = constant_length(call, 1, -kMostCharacters);
      const double most = length < 0 ? text->characters : Min(text->characters, length);
      return text_part(call, most, Min(text->bytes, most * MAX_MULTIBYTE_CHAR_LEN),
                       shorter(counted, most));
    }
    case TextKind::substring: {
      constant_length(call, 1, -kMostCharacters);
      double most = text->characters;
      if (call->count > 2) most = Min(most, constant_length(call, 2, 0));
      return text_part(call, most, Min(text->bytes, most * MAX_MULTIBYTE_CHAR_LEN),
                       shorter(counted, most));
    }
    case TextKind::concatenate:
      return text_part(call, text->characters + call->part[1].characters,
                       text->bytes + call->part[1].bytes,
                       together(counted, counted_length(&call->part[1])));
    case TextKind::length:
      return length_part(call, 1);
    case TextKind::bytes:
      return length_part(call, pg_database_encoding_max_length());
    case TextKind::position:
      require_deterministic(call);
      return position_part(call, Max(text->characters, 1));
    case TextKind::starts_with:
      require_deterministic(call);
      return same_call(call);
    case TextKind::like:
      require_deterministic(call);
      check_pattern(call);
      return same_call(call);
    case TextKind::like_any_case:
      require_deterministic(call);
      require_case_rules(call);
      check_pattern(call);
      for (int i = 0; i < call->count; i++) {  // each is made lower case
        pass_memory(call->compiler->scope, kConverted * call->part[i].bytes, call->name);
        take_memory(call, 3 * call->part[i].bytes);
      }
      return same_call(call);
  }
  elog(ERROR, "text function %u is of no known kind", call->function);
}

}  // namespace

void compare_texts(const RowScope* scope, Oid function, SafePart* left, SafePart* right) {
  if (!is_text(exprType((Node*)left->value))) return;
  const bool equality = contains(kEqualities, function);
  const SafePart* fixed = is_constant((Node*)left->value)    ? left
                          : is_constant((Node*)right->value) ? right
                                                             : NULL;
  // Texts of other lengths differ, and are not looked at. What joins tables stays as it is: unique
  // keys are found by it.
  double bytes = fixed != NULL ? 2 * fixed->bytes : 2 * kLongestInRow;
  if (!equality || (fixed == NULL && !(is_column(left->value) && is_column(right->value)))) {
    bytes = compared_bytes(scope, left) + compared_bytes(scope, right);
  }
  pass_memory(scope, equality ? bytes : kOrdered * bytes, "a comparison");
}

void compare_with_texts(const RowScope* scope, Oid function, SafePart* text, const Const* texts) {
  constexpr int kFewest = 9;  // that are hashed
  if (!is_text(exprType((Node*)text->value)) || texts->constisnull) return;
  const int count = array_elements((const Node*)texts).count;
  double bytes = VARSIZE_ANY(DatumGetPointer(texts->constvalue));
  if (!contains(kEqualities, function) || count >= kFewest) {
    bytes += compared_bytes(scope, text);
    scope->bytes->staying += taken_for(kHashed * count);  // till the scan ends
  }
  pass_memory(scope, kOrdered * bytes, "a comparison with an array");
}

void order_texts(const RowScope* scope, SafePart* part, int count) {
  double longest = 0;
  for (int i = 0; i < count; i++) {
    if (!is_text(exprType((Node*)part[i].value))) return;
    longest = Max(longest, compared_bytes(scope, &part[i]));
  }
  pass_memory(scope, 2 * kOrdered * longest, "GREATEST or LEAST");
}

Expr* comparable_text(const RowScope* scope, Expr* value) {
  return is_text(exprType((Node*)value)) && may_be_long(scope) ? limited("comparable_text", value)
                                                               : value;
}

Expr* key_text(Expr* value, double bytes) {
  const int most = (int)Min(bytes, kLongestKey);
  return limited("key_text", value, list_make1(constant(INT4OID, InvalidOid, Int32GetDatum(most))));
}

namespace {

struct Longest {
  Oid function;
  double bytes;
};

bool find_longest(Node* node, void* context) {
  Longest* longest = (Longest*)context;
  if (node == NULL) return false;
  if (IsA(node, FuncExpr) && ((const FuncExpr*)node)->funcid == longest->function) {
    const Const* limit = lsecond_node(Const, ((const FuncExpr*)node)->args);
    longest->bytes = Max(longest->bytes, DatumGetInt32(limit->constvalue));
  }
  return walk_expression(node, find_longest, context);
}

}  // namespace

double longest_text(const Node* tree) {
  Longest longest = {dpmix_function("key_text", {TEXTOID, INT4OID}), 0};
  find_longest((Node*)tree, &longest);
  return longest.bytes;
}

bool safe_text_function(const SafeCall* call, SafePart* made) {
  for (const TextFunction& known : kTexts) {
    if (known.function != call->function) continue;
    for (int i = 0; i < call->count; i++) {
      if (is_text(exprType((Node*)call->part[i].value))) shorten(call, &call->part[i]);
    }
    *made = part_of_kind(call, known.kind);
    return true;
  }
  return false;
}

}  // namespace dpmix::pg
