#include "pg/preview/call_hint.hpp"

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/varlena.h"
}

namespace dpmix::pg {
namespace {

// The public functions, as the install script declares them. The transaction has failed: the
// catalog cannot be read.
struct Signature {
  const char* name;
  const char* written;  // the name as SQL writes it
  const char* required;
  const char* optional;
  bool is_procedure;
};
constexpr Signature kSignatures[] = {
#include "signatures.inc"
};

constexpr char kSchema[] = "dpmix.";
constexpr int kSchemaLength = sizeof(kSchema) - 1;

// Whether no function fits a call. A command about functions has the same message, and no hint.
bool is_wrong_call(const ErrorData* error) {
  return error->elevel == ERROR && error->sqlerrcode == ERRCODE_UNDEFINED_FUNCTION &&
         error->message != NULL && error->message_id != NULL &&
         (error->hint != NULL || error->detail != NULL) &&
         (strcmp(error->message_id, "function %s does not exist") == 0 ||
          strcmp(error->message_id, "procedure %s does not exist") == 0);
}

bool is_in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// The name that was called, if it says dpmix's schema, or can be of nobody else: dp_sum, say. In a
// message of any language it comes before the first parenthesis. NULL: another one.
const char* name_called(const char* message) {
  const char* end = strchr(message, '(');
  if (end == NULL) return NULL;
  const char* begin = end;
  while (begin > message && is_in_name(begin[-1])) begin--;
  if (strncmp(begin, kSchema, kSchemaLength) == 0) {
    begin += kSchemaLength;
  } else if (strncmp(begin, "dp_", 3) != 0) {
    return NULL;
  }
  const int length = (int)(end - begin);
  return length > 0 && length < NAMEDATALEN ? pnstrdup(begin, length) : NULL;
}

int distance(const char* a, const char* b, int most) {
  return varstr_levenshtein_less_equal(a, (int)strlen(a), b, (int)strlen(b), 1, 1, 1, most, true);
}

// NULL: none is like it.
const char* nearest_name(const char* called) {
  const char* nearest = NULL;
  int most = Min((int)(strlen(called) + 1) / 3, 3);
  for (const Signature& signature : kSignatures) {
    const int apart = distance(called, signature.name, most);
    if (apart > most || (nearest != NULL && apart == most)) continue;
    nearest = signature.name;
    most = apart;
  }
  return nearest;
}

void append_call(StringInfo out, const Signature& signature) {
  appendStringInfo(out, "%s%s%s(%s", signature.is_procedure ? "CALL " : "", kSchema,
                   signature.written, signature.required);
  if (signature.optional[0] != '\0') {
    appendStringInfo(out, "%s[%s%s]", signature.required[0] != '\0' ? " " : "",
                     signature.required[0] != '\0' ? ", " : "", signature.optional);
  }
  appendStringInfoChar(out, ')');
}

char* call_to_write(const char* name) {
  StringInfoData hint;
  initStringInfo(&hint);
  for (const Signature& signature : kSignatures) {
    if (strcmp(signature.name, name) != 0) continue;
    appendStringInfoString(&hint, hint.len == 0 ? "Write " : ", or ");
    append_call(&hint, signature);
  }
  appendStringInfoChar(&hint, '.');
  return hint.data;
}

emit_log_hook_type next_hook = NULL;

// Where the server's log takes no errors (log_min_messages), PostgreSQL does not call us.
void hint_at_call(ErrorData* error) {
  if (is_wrong_call(error)) {
    const char* called = name_called(error->message);
    const char* meant = called != NULL ? nearest_name(called) : NULL;
    if (meant != NULL) error->hint = call_to_write(meant);
  }
  if (next_hook != NULL) next_hook(error);
}

}  // namespace

void call_hint_init() {
  next_hook = emit_log_hook;
  emit_log_hook = hint_at_call;
}

}  // namespace dpmix::pg
