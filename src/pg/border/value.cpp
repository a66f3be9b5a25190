#include "pg/border/value.hpp"

extern "C" {
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

template <class Element>
Datum* elements_of(const Element* list, int count, Datum (*datum_of)(Element element)) {
  Datum* elements = (Datum*)palloc(Max(count, 1) * sizeof(Datum));
  for (int i = 0; i < count; i++) elements[i] = datum_of(list[i]);
  return elements;
}

Datum name_datum(const char* text) {
  return DirectFunctionCall1(namein, CStringGetDatum(text));
}

}  // namespace

double six_digits(double number) {
  if (!std::isfinite(number)) return number;
  char digits[32];
  snprintf(digits, sizeof(digits), "%.5e", number);
  return strtod(digits, NULL);
}

Value name_value(const char* text) {
  return {NAMEOID, text == NULL ? (Datum)0 : name_datum(text), text == NULL};
}

Value name_array(const char* const* names, int count) {
  if (names == NULL) return {NAMEARRAYOID, (Datum)0, true};
  return {NAMEARRAYOID,
          PointerGetDatum(construct_array(elements_of(names, count, name_datum), count, NAMEOID,
                                          NAMEDATALEN, false, TYPALIGN_CHAR))};
}

Value text_array(const char* const* texts, int count) {
  if (texts == NULL) return {TEXTARRAYOID, (Datum)0, true};
  const auto text_datum = [](const char* text) { return CStringGetTextDatum(text); };
  return {TEXTARRAYOID,
          PointerGetDatum(construct_array(elements_of<const char*>(texts, count, text_datum), count,
                                          TEXTOID, -1, false, TYPALIGN_INT))};
}

Value oid_array(const Oid* oids, int count, Oid element) {
  const auto oid_datum = [](Oid oid) { return ObjectIdGetDatum(oid); };
  return {(Oid)(element == OIDOID ? OIDARRAYOID : REGTYPEARRAYOID),
          PointerGetDatum(construct_array(elements_of<Oid>(oids, count, oid_datum), count, element,
                                          sizeof(Oid), true, TYPALIGN_INT))};
}

Value int8_array(const int64* numbers, int count) {
  const auto int8_datum = [](int64 number) { return Int64GetDatum(number); };
  return {INT8ARRAYOID, PointerGetDatum(construct_array(
                            elements_of<int64>(numbers, count, int8_datum), count, INT8OID,
                            sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE))};
}

Value float8_array(const double* numbers, int count) {
  return float8_array(numbers, 1, &count);
}

Value float8_array(const double* numbers, int dimensions, const int* sizes) {
  int count = 1, lower_bounds[] = {1, 1, 1}, dims[3];
  for (int i = 0; i < dimensions; i++) count *= dims[i] = sizes[i];
  Datum* elements =
      elements_of<double>(numbers, count, [](double number) { return Float8GetDatum(number); });
  const Datum array =
      PointerGetDatum(construct_md_array(elements, NULL, dimensions, dims, lower_bounds, FLOAT8OID,
                                         sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
  pfree(elements);
  return {FLOAT8ARRAYOID, array};
}

}  // namespace dpmix::pg
