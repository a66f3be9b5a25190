#include "pg/mixture/store.hpp"

#include <algorithm>

#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"

extern "C" {
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "catalog/namespace.h"
}

#include "pg/border/statement.hpp"

namespace dpmix::pg {
namespace {

// The row stands before the model does: its unique index settles who gets the name.
Statement reserve = {
    "INSERT INTO dpmix.release (name, table_id, kind, maker, maker_oid, charge_id, method, "
    "epsilon, "
    "    delta, features, lower, upper, label, labels, weights, means, covariances, row_counts) "
    "VALUES ($1, $2, 'gmm', $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12, '{}', '{}', '{}', '{}') "
    "ON CONFLICT (name) DO NOTHING",
    12,
    {TEXTOID, INT8OID, NAMEOID, OIDOID, TEXTOID, FLOAT8OID, FLOAT8OID, NAMEARRAYOID, FLOAT8ARRAYOID,
     FLOAT8ARRAYOID, NAMEOID, TEXTARRAYOID},
    NULL};
Statement scheduled = {
    "SELECT 1 WHERE $1 ~ ' " SCHEDULED_AT
    "$' AND NOT EXISTS ("
    "    SELECT FROM dpmix.schedule s WHERE s.name = regexp_replace($1, ' " SCHEDULED_AT
    "$', '') "
    "        AND s.kind = 'gmm' AND s.owner = $2 AND s.owner_oid = $3)",
    3,
    {TEXTOID, NAMEOID, OIDOID},
    NULL};
Statement store = {
    "UPDATE dpmix.release SET charge_id = $2, weights = $3, means = $4, covariances = $5, "
    "    row_counts = $6 WHERE name = $1",
    6,
    {TEXTOID, INT8OID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID},
    NULL};
Statement store_with_facts = {
    "UPDATE dpmix.release SET charge_id = $2, weights = $3, means = $4, covariances = $5, "
    "    row_counts = $6, feature_types = $7, adjacency = $8, covariance = $9, objective = $10, "
    "    dimensions = $11, count_stddev = $12, quality = $13 WHERE name = $1",
    13,
    {TEXTOID, INT8OID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID,
     REGTYPEARRAYOID, TEXTOID, TEXTOID, TEXTOID, INT4OID, FLOAT8OID, TEXTOID},
    NULL};
// An oid without its name is another table's, as after a restore: it gives nobody an owner's
// rights. Nor does a grant to a role that was made anew.
#define FIND(types)                                                                     \
  "SELECT coalesce(c.oid, 0), o.oid, r.features, r.label, r.labels, r.lower, r.upper, " \
  "       r.weights, r.row_counts, r.means, r.covariances, "                            \
  "       ARRAY(SELECT g.oid FROM dpmix.access a "                                      \
  "             JOIN pg_roles g ON g.oid = a.role_oid AND g.rolname = a.role "          \
  "             WHERE a.table_id = p.id AND p.active AND c.oid IS NOT NULL), " types    \
  " "                                                                                   \
  "FROM dpmix.release r JOIN dpmix.protected_table p ON p.id = r.table_id "             \
  "LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) "               \
  "  ON c.oid = p.relation AND c.relname = p.table_name AND n.nspname = p.schema_name " \
  "LEFT JOIN pg_roles o ON o.oid = r.maker_oid AND o.rolname = r.maker "                \
  "WHERE r.name = $1"
Statement find_without_types = {FIND("NULL::oid[]"), 1, {TEXTOID}, NULL};
Statement find = {FIND("r.feature_types::oid[]"), 1, {TEXTOID}, NULL};
#undef FIND
Statement remove = {"DELETE FROM dpmix.release WHERE name = $1", 1, {TEXTOID}, NULL};

Datum name_array(const char* const* names, int count) {
  Datum* values = (Datum*)palloc(count * sizeof(Datum));
  for (int i = 0; i < count; i++) {
    values[i] = name_datum(names[i]);
  }
  return PointerGetDatum(
      construct_array(values, count, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

Datum text_array(char* const* texts, int count) {
  Datum* values = (Datum*)palloc(count * sizeof(Datum));
  for (int i = 0; i < count; i++) values[i] = CStringGetTextDatum(texts[i]);
  return PointerGetDatum(construct_array(values, count, TEXTOID, -1, false, TYPALIGN_INT));
}

// Since 0.4.0.
bool has_facts() {
  const Oid table = catalog_table("release");
  return OidIsValid(table) && get_attnum(table, "feature_types") != InvalidAttrNumber;
}

// Since 0.7.0.
bool has_schedules() {
  return OidIsValid(catalog_table("schedule"));
}

struct Row {
  const Datum* values;
  const char* nulls;
};
struct Reservation {
  Row row;
  bool taken;
  bool of_schedule;  // somebody else's, or one that there may be
};

void run_reserve(void* arg) {
  Reservation* reservation = (Reservation*)arg;
  const Datum* values = reservation->row.values;
  const Datum name[] = {values[0], values[2], values[3]};
  reservation->of_schedule = has_schedules() && read_rows(scheduled, name) > 0;
  if (reservation->of_schedule) return;
  reservation->taken = write_rows(reserve, reservation->row.values, reservation->row.nulls) == 0;
}
void run_store(void* arg) {
  const Row* row = (const Row*)arg;
  (void)write_rows(has_facts() ? store_with_facts : store, row->values, row->nulls);
}
void run_remove(void* values) {
  (void)write_rows(remove, (const Datum*)values);
}

struct Lookup {
  const char* name;
  MemoryContext context;
  StoredGmm* gmm;  // NULL: there is none
  Oid relation, maker;
  Oid* granted;  // roles with access to the table
  int grants;
};

double* doubles(uint64 row, int column, int* count) {
  bool null;
  ArrayType* array = DatumGetArrayTypeP(result_datum(row, column, &null));
  *count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  double* values = (double*)palloc(Max(*count, 1) * sizeof(double));
  memcpy(values, ARR_DATA_PTR(array), *count * sizeof(double));
  return values;
}

Oid* oids(uint64 row, int column, int* count) {  // NULL for NULL
  bool null;
  const Datum datum = result_datum(row, column, &null);
  if (null) return NULL;
  ArrayType* array = DatumGetArrayTypeP(datum);
  *count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  Oid* values = (Oid*)palloc(Max(*count, 1) * sizeof(Oid));
  memcpy(values, ARR_DATA_PTR(array), *count * sizeof(Oid));
  return values;
}

char** texts(uint64 row, int column, Oid type, int* count) {  // NULL for NULL
  bool null;
  const bool name = type == NAMEOID;
  Datum* elements = NULL;
  const Datum datum = result_datum(row, column, &null);
  if (null) return NULL;
  deconstruct_array(DatumGetArrayTypeP(datum), type, name ? NAMEDATALEN : -1, false,
                    name ? TYPALIGN_CHAR : TYPALIGN_INT, &elements, NULL, count);
  char** values = (char**)palloc(Max(*count, 1) * sizeof(char*));
  for (int i = 0; i < *count; i++) {
    values[i] =
        name ? pstrdup(NameStr(*DatumGetName(elements[i]))) : TextDatumGetCString(elements[i]);
  }
  return values;
}

void run_find(void* arg) {
  Lookup* lookup = (Lookup*)arg;
  Datum name = CStringGetTextDatum(lookup->name);
  if (read_rows(has_facts() ? find : find_without_types, &name) == 0) return;
  bool null;
  lookup->relation = DatumGetObjectId(result_datum(0, 1, &null));
  lookup->maker = DatumGetObjectId(result_datum(0, 2, &null));
  if (null) lookup->maker = InvalidOid;
  MemoryContext outer = MemoryContextSwitchTo(lookup->context);
  StoredGmm* gmm = lookup->gmm = (StoredGmm*)palloc0(sizeof(StoredGmm));
  int count = 0;
  gmm->name = lookup->name;
  gmm->feature = texts(0, 3, NAMEOID, &gmm->features);
  gmm->labels = texts(0, 5, TEXTOID, &count);
  gmm->lower = doubles(0, 6, &count);
  gmm->upper = doubles(0, 7, &count);
  gmm->weights = doubles(0, 8, &gmm->components);
  gmm->rows = doubles(0, 9, &count);
  gmm->means = doubles(0, 10, &count);
  gmm->covariances = doubles(0, 11, &count);
  lookup->granted = oids(0, 12, &lookup->grants);
  gmm->types = oids(0, 13, &count);
  MemoryContextSwitchTo(outer);
  gmm->label = result_text(0, 4);
}

Lookup find_release(const char* name) {
  Lookup lookup = {name, CurrentMemoryContext, NULL, InvalidOid, InvalidOid, NULL, 0};
  as_catalog_owner(run_find, &lookup);
  if (lookup.gmm == NULL) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("release \"%s\" does not exist", name),
                    errdetail("No mixture of this name is stored in this database."),
                    errhint("Make it with dpmix.release_gmm().")));
  }
  return lookup;
}

// Owns the release or its table. Superusers have the privileges of every role.
bool owns(const Lookup* lookup) {
  const Oid user = GetUserId(), owner = relation_owner(lookup->relation);
  return superuser_arg(user) ||
         (OidIsValid(lookup->maker) && has_privs_of_role(user, lookup->maker)) ||
         (OidIsValid(owner) && has_privs_of_role(user, owner));
}

bool has_grant(const Lookup* lookup) {
  for (int i = 0; i < lookup->grants; i++) {
    if (has_privs_of_role(GetUserId(), lookup->granted[i])) return true;
  }
  return false;
}

[[noreturn]] void refuse_stranger(const char* name, const char* detail, const char* hint) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(not_protected)),
                  errmsg("you have no access to release \"%s\"", name), errdetail("%s", detail),
                  errhint("%s", hint)));
  pg_unreachable();
}

}  // namespace

Datum float8_array(const double* values, int dimensions, const int* sizes) {
  int count = 1, lower_bounds[3] = {1, 1, 1}, dims[3];
  for (int i = 0; i < dimensions; i++) count *= dims[i] = sizes[i];
  Datum* elements = (Datum*)palloc(Max(count, 1) * sizeof(Datum));
  for (int i = 0; i < count; i++) elements[i] = Float8GetDatum(values[i]);
  Datum array =
      PointerGetDatum(construct_md_array(elements, NULL, dimensions, dims, lower_bounds, FLOAT8OID,
                                         sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
  pfree(elements);
  return array;
}

void reserve_release(const char* name, const ProtectedTable* table, const char* method,
                     double epsilon, double delta, const ModelColumns* columns) {
  const Oid user = GetUserId();
  NameData maker, label;
  namestrcpy(&maker, GetUserNameFromId(user, false));
  char nulls[13] = "            ";
  Datum categories = (Datum)0;
  if (columns->label != NULL) {
    namestrcpy(&label, columns->label);
    categories = text_array(columns->category, columns->classes);
  } else {
    nulls[10] = nulls[11] = 'n';
  }
  const Datum values[] = {CStringGetTextDatum(name),
                          Int64GetDatum(table->id),
                          NameGetDatum(&maker),
                          ObjectIdGetDatum(user),
                          CStringGetTextDatum(method),
                          Float8GetDatum(epsilon),
                          Float8GetDatum(delta),
                          name_array(columns->name, columns->features),
                          float8_array(columns->lower, 1, &columns->features),
                          float8_array(columns->upper, 1, &columns->features),
                          NameGetDatum(&label),
                          categories};
  Reservation reservation = {{values, nulls}, false, false};
  as_catalog_owner(run_reserve, &reservation);
  if (reservation.of_schedule) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("release \"%s\" is named as one of a schedule", name),
                    errdetail("Names that end with a date, a time and a distance from UTC are for "
                              "the owner of the schedule that they begin with."),
                    errhint("Choose another name.")));
  }
  if (reservation.taken) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("release \"%s\" exists already", name),
                    errdetail("Names of releases are unique in a database."),
                    errhint("Choose another name, or drop it with dpmix.drop_release().")));
  }
}

void store_gmm(const StoredGmm* gmm, const GmmFacts* facts, int64 charge_id) {
  const int sizes[] = {gmm->components, gmm->features, gmm->features};
  Datum* types = (Datum*)palloc(gmm->features * sizeof(Datum));
  for (int i = 0; i < gmm->features; i++) types[i] = ObjectIdGetDatum(gmm->types[i]);
  const Datum values[] = {
      CStringGetTextDatum(gmm->name),
      Int64GetDatum(charge_id),
      float8_array(gmm->weights, 1, sizes),
      float8_array(gmm->means, 2, sizes),
      float8_array(gmm->covariances, 3, sizes),
      float8_array(gmm->rows, 1, sizes),
      // the earlier statement stops here
      PointerGetDatum(
          construct_array(types, gmm->features, REGTYPEOID, sizeof(Oid), true, TYPALIGN_INT)),
      CStringGetTextDatum(facts->adjacency),
      CStringGetTextDatum(facts->covariance),
      CStringGetTextDatum(facts->objective),
      Int32GetDatum(facts->dimensions),
      Float8GetDatum(facts->count_stddev),
      CStringGetTextDatum(facts->quality != NULL ? facts->quality : ""),
  };
  char nulls[lengthof(values) + 1] = "             ";
  if (facts->quality == NULL) nulls[12] = 'n';
  Row row = {values, nulls};
  as_catalog_owner(run_store, &row);
}

StoredGmm* new_gmm(const char* name, const ModelColumns* columns, int components) {
  StoredGmm* gmm = (StoredGmm*)palloc0(sizeof(StoredGmm));
  const Size k = components, d = columns->features;
  gmm->name = name;
  gmm->features = columns->features;
  gmm->types = columns->type;
  gmm->components = components;
  gmm->labels = columns->category;
  gmm->weights = (double*)palloc(k * sizeof(double));
  gmm->rows = (double*)palloc(k * sizeof(double));
  gmm->means = (double*)palloc(k * d * sizeof(double));
  gmm->covariances = (double*)palloc(k * d * d * sizeof(double));
  return gmm;
}

StoredGmm* load_gmm(const char* name) {
  const Lookup lookup = find_release(name);
  if (!owns(&lookup) && !has_grant(&lookup)) {
    refuse_stranger(name,
                    "It is for the role that made it, the table's owner and roles with access to "
                    "the table.",
                    "The table's owner gives access with dpmix.grant_access().");
  }
  return lookup.gmm;
}

void drop_release(const char* name) {
  const Lookup lookup = find_release(name);
  if (!owns(&lookup)) {
    refuse_stranger(name, "A release belongs to the role that made it and to the table's owner.",
                    "Ask one of them to drop it.");
  }
  Datum value = CStringGetTextDatum(name);
  as_catalog_owner(run_remove, &value);
}

GaussianMixture mixture_of(const StoredGmm* gmm) {
  GaussianMixture mixture;
  mixture.features = gmm->features;
  const std::ptrdiff_t d = gmm->features;
  for (int k = 0; k < gmm->components; ++k) {
    const double *mean = gmm->means + k * d, *covariance = gmm->covariances + k * d * d;
    mixture.components.push_back(
        {gmm->weights[k], gmm->rows[k], {mean, mean + d}, {covariance, covariance + d * d}});
  }
  return mixture;
}

void fill_gmm(StoredGmm* gmm, const GaussianMixture& mixture) {
  double *mean = gmm->means, *covariance = gmm->covariances;
  for (std::size_t k = 0; k < mixture.components.size(); ++k) {
    const GaussianMixture::Component& c = mixture.components[k];
    gmm->weights[k] = c.weight;
    gmm->rows[k] = c.rows;
    mean = std::copy(c.mean.begin(), c.mean.end(), mean);
    covariance = std::copy(c.covariance.begin(), c.covariance.end(), covariance);
  }
}

}  // namespace dpmix::pg
