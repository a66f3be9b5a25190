#include "pg/trees/allow_list.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

// clang-format off
constexpr Oid kComparisons[] = {
    F_BOOLEQ, F_BOOLNE, F_BOOLLT, F_BOOLLE, F_BOOLGT, F_BOOLGE,
    F_INT2EQ, F_INT2NE, F_INT2LT, F_INT2LE, F_INT2GT, F_INT2GE,
    F_INT4EQ, F_INT4NE, F_INT4LT, F_INT4LE, F_INT4GT, F_INT4GE,
    F_INT8EQ, F_INT8NE, F_INT8LT, F_INT8LE, F_INT8GT, F_INT8GE,
    F_INT24EQ, F_INT24NE, F_INT24LT, F_INT24LE, F_INT24GT, F_INT24GE,
    F_INT42EQ, F_INT42NE, F_INT42LT, F_INT42LE, F_INT42GT, F_INT42GE,
    F_INT28EQ, F_INT28NE, F_INT28LT, F_INT28LE, F_INT28GT, F_INT28GE,
    F_INT82EQ, F_INT82NE, F_INT82LT, F_INT82LE, F_INT82GT, F_INT82GE,
    F_INT48EQ, F_INT48NE, F_INT48LT, F_INT48LE, F_INT48GT, F_INT48GE,
    F_INT84EQ, F_INT84NE, F_INT84LT, F_INT84LE, F_INT84GT, F_INT84GE,
    F_FLOAT4EQ, F_FLOAT4NE, F_FLOAT4LT, F_FLOAT4LE, F_FLOAT4GT, F_FLOAT4GE,
    F_FLOAT8EQ, F_FLOAT8NE, F_FLOAT8LT, F_FLOAT8LE, F_FLOAT8GT, F_FLOAT8GE,
    F_FLOAT48EQ, F_FLOAT48NE, F_FLOAT48LT, F_FLOAT48LE, F_FLOAT48GT, F_FLOAT48GE,
    F_FLOAT84EQ, F_FLOAT84NE, F_FLOAT84LT, F_FLOAT84LE, F_FLOAT84GT, F_FLOAT84GE,
    F_NUMERIC_EQ, F_NUMERIC_NE, F_NUMERIC_LT, F_NUMERIC_LE, F_NUMERIC_GT, F_NUMERIC_GE,
    F_DATE_EQ, F_DATE_NE, F_DATE_LT, F_DATE_LE, F_DATE_GT, F_DATE_GE,
    F_TIMESTAMP_EQ, F_TIMESTAMP_NE, F_TIMESTAMP_LT, F_TIMESTAMP_LE, F_TIMESTAMP_GT, F_TIMESTAMP_GE,
    F_DATE_EQ_TIMESTAMP, F_DATE_NE_TIMESTAMP, F_DATE_LT_TIMESTAMP, F_DATE_LE_TIMESTAMP,
    F_DATE_GT_TIMESTAMP, F_DATE_GE_TIMESTAMP, F_TIMESTAMP_EQ_DATE, F_TIMESTAMP_NE_DATE,
    F_TIMESTAMP_LT_DATE, F_TIMESTAMP_LE_DATE, F_TIMESTAMP_GT_DATE, F_TIMESTAMP_GE_DATE,
    F_TIMESTAMPTZ_EQ, F_TIMESTAMPTZ_NE, F_TIMESTAMPTZ_LT, F_TIMESTAMPTZ_LE, F_TIMESTAMPTZ_GT,
    F_TIMESTAMPTZ_GE,
    F_TIME_EQ, F_TIME_NE, F_TIME_LT, F_TIME_LE, F_TIME_GT, F_TIME_GE,
    F_INTERVAL_EQ, F_INTERVAL_NE, F_INTERVAL_LT, F_INTERVAL_LE, F_INTERVAL_GT, F_INTERVAL_GE,
    F_UUID_EQ, F_UUID_NE, F_UUID_LT, F_UUID_LE, F_UUID_GT, F_UUID_GE,
    F_ENUM_EQ, F_ENUM_NE, F_ENUM_LT, F_ENUM_LE, F_ENUM_GT, F_ENUM_GE,
};

constexpr Oid kTextEquality[] = {F_TEXTEQ, F_TEXTNE, F_BPCHAREQ, F_BPCHARNE};
constexpr Oid kTextOrder[] = {
    F_TEXT_LT, F_TEXT_LE, F_TEXT_GT, F_TEXT_GE,
    F_BPCHARLT, F_BPCHARLE, F_BPCHARGT, F_BPCHARGE,
};

constexpr Oid kWideningCasts[] = {
    F_INT4_INT2, F_INT8_INT2, F_INT8_INT4,
    F_FLOAT4_INT2, F_FLOAT4_INT4, F_FLOAT4_INT8, F_FLOAT8_INT2, F_FLOAT8_INT4, F_FLOAT8_INT8,
    F_FLOAT8_FLOAT4,
    F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8,
    F_TEXT_BPCHAR,
};

constexpr Oid kKeyTypes[] = {
    BOOLOID, INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, NUMERICOID, TEXTOID, VARCHAROID,
    BPCHAROID, DATEOID, TIMEOID, TIMESTAMPOID, TIMESTAMPTZOID, UUIDOID,
};
constexpr Oid kOfTime[] = {
    F_NOW, F_TRANSACTION_TIMESTAMP, F_STATEMENT_TIMESTAMP,
    F_TIMESTAMPTZ_PL_INTERVAL, F_TIMESTAMPTZ_MI_INTERVAL, F_INTERVAL_PL_TIMESTAMPTZ,
    F_DATE_TRUNC_TEXT_TIMESTAMPTZ, F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT,
    F_EXTRACT_TEXT_TIMESTAMPTZ, F_DATE_PART_TEXT_TIMESTAMPTZ,
    F_DATE_TIMESTAMPTZ, F_TIMESTAMP_TIMESTAMPTZ, F_TIME_TIMESTAMPTZ,
    F_TIMESTAMPTZ_DATE, F_TIMESTAMPTZ_TIMESTAMP,
    F_AGE_TIMESTAMP, F_AGE_TIMESTAMPTZ,
    F_TO_CHAR_TIMESTAMPTZ_TEXT, F_TO_CHAR_TIMESTAMP_TEXT,
    F_TO_DATE, F_TO_TIMESTAMP_TEXT_TEXT,
    F_DATE_IN, F_DATE_OUT, F_TIMESTAMP_IN, F_TIMESTAMP_OUT, F_TIMESTAMPTZ_IN, F_TIMESTAMPTZ_OUT,
    F_INTERVAL_IN, F_INTERVAL_OUT,
};
// Input functions read 'now' and 'today'.
constexpr Oid kOfNow[] = {
    F_NOW, F_TRANSACTION_TIMESTAMP, F_STATEMENT_TIMESTAMP, F_AGE_TIMESTAMP, F_AGE_TIMESTAMPTZ,
    F_DATE_IN, F_TIMESTAMP_IN, F_TIMESTAMPTZ_IN,
};
// clang-format on

}  // namespace

bool is_own_collation(Oid collation) {
  HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
  if (!HeapTupleIsValid(tuple)) return false;
  const bool own = ((Form_pg_collation)GETSTRUCT(tuple))->collnamespace == PG_CATALOG_NAMESPACE;
  ReleaseSysCache(tuple);
  return own;
}

bool is_total_comparison(Oid function, Oid collation) {
  if (contains(kComparisons, function)) return true;
  if (contains(kTextOrder, function)) return is_own_collation(collation);
  return contains(kTextEquality, function) && OidIsValid(collation) &&
         (is_own_collation(collation) || get_collation_isdeterministic(collation));
}

bool is_widening_cast(Oid function) {
  return contains(kWideningCasts, function);
}

bool is_own_type(Oid type) {
  return type < FirstUnpinnedObjectId || get_typtype(type) == TYPTYPE_ENUM;
}

bool is_key_type(Oid type) {
  return contains(kKeyTypes, type) || get_typtype(type) == TYPTYPE_ENUM;
}

bool is_own_immutable(Oid function) {
  return function < FirstUnpinnedObjectId && func_volatile(function) == PROVOLATILE_IMMUTABLE &&
         !get_func_retset(function);
}

bool is_own_of_time(Oid function) {
  return contains(kOfTime, function);
}

bool is_own_of_now(Oid function) {
  return contains(kOfNow, function);
}

bool may_be_key(Oid type, Oid collation) {
  return is_key_type(type) && (!OidIsValid(collation) || is_total_comparison(F_TEXTEQ, collation));
}

}  // namespace dpmix::pg
