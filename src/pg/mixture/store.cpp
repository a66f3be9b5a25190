#include "pg/mixture/store.hpp"

#include <algorithm>

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/acl.h"
}

namespace dpmix::pg {
namespace {

// The row stands before the model does: its unique index settles who gets the name.
Statement reserve = {
    "INSERT INTO dpmix.release (name, table_id, kind, maker, maker_oid, charge_id, method, "
    "epsilon, "
    "    delta, features, lower, upper, label, labels, weights, means, covariances, row_counts) "
    "VALUES ($1, $2, 'gmm', $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12, '{}', '{}', '{}', '{}') "
    "ON CONFLICT (name) DO NOTHING"};
Statement scheduled = {
    "SELECT 1 WHERE $1 ~ ' " SCHEDULED_AT
    "$' AND NOT EXISTS ("
    "    SELECT FROM dpmix.schedule s WHERE s.name = regexp_replace($1, ' " SCHEDULED_AT
    "$', '') "
    "        AND s.kind = 'gmm' AND s.owner = $2 AND s.owner_oid = $3)"};
Statement store = {
    "UPDATE dpmix.release SET charge_id = $2, weights = $3, means = $4, covariances = $5, "
    "    row_counts = $6, feature_types = $7, adjacency = $8, covariance = $9, objective = $10, "
    "    dimensions = $11, count_stddev = $12, quality = $13 WHERE name = $1"};

// An oid without its name is another table's, as after a restore: it gives nobody an owner's
// rights. Nor does a grant to a role that was made anew.
Statement find = {
    "SELECT coalesce(c.oid, 0), o.oid, r.features, r.label, r.labels, r.lower, r.upper, "
    "       r.weights, r.row_counts, r.means, r.covariances, "
    "       ARRAY(SELECT g.oid FROM dpmix.access a "
    "             JOIN pg_roles g ON g.oid = a.role_oid AND g.rolname = a.role "
    "             WHERE a.table_id = p.id AND p.active AND c.oid IS NOT NULL), "
    "       r.feature_types::oid[] "
    "FROM dpmix.release r JOIN dpmix.protected_table p ON p.id = r.table_id "
    "LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) "
    "  ON c.oid = p.relation AND c.relname = p.table_name AND n.nspname = p.schema_name "
    "LEFT JOIN pg_roles o ON o.oid = r.maker_oid AND o.rolname = r.maker "
    "WHERE r.name = $1"};

Statement delete_release = {"DELETE FROM dpmix.release WHERE name = $1"};

struct Lookup {
  StoredGmm* gmm;  // NULL: there is none
  Oid relation, maker;
  Oid* granted;  // roles with access to the table
  int grants;
};

Lookup find_release(const char* name) {
  Lookup lookup = {};
  as_catalog_owner([&] {
    if (read_rows(find, {name}) == 0) return;
    const ResultRow row;
    StoredGmm* gmm = lookup.gmm = (StoredGmm*)SPI_palloc(sizeof(StoredGmm));
    int count;
    gmm->name = name;
    gmm->feature = row.texts(3, &gmm->features);
    gmm->label = row.text(4);
    gmm->labels = row.texts(5, &count);
    gmm->lower = row.float8s(6, &count);
    gmm->upper = row.float8s(7, &count);
    gmm->weights = row.float8s(8, &gmm->components);
    gmm->rows = row.float8s(9, &count);
    gmm->means = row.float8s(10, &count);
    gmm->covariances = row.float8s(11, &count);
    gmm->types = row.oids(13, &count);
    if (gmm->types == NULL) elog(ERROR, "release \"%s\" is not stored yet", name);
    lookup.relation = row.oid(1);
    lookup.maker = row.oid(2);
    lookup.granted = row.oids(12, &lookup.grants);
  });
  if (lookup.gmm == NULL) {
    refuse_argument(psprintf("release \"%s\" does not exist", name),
                    "No mixture of this name is stored in this database.",
                    "Make it with dpmix.release_gmm().");
  }
  return lookup;
}

// Owns the release or its table. Superusers have the privileges of every role.
bool owns(const Lookup* lookup) {
  const Oid user = GetUserId();
  return superuser_arg(user) || owns_relation(lookup->relation) ||
         (OidIsValid(lookup->maker) && has_privs_of_role(user, lookup->maker));
}

bool has_grant(const Lookup* lookup) {
  for (int i = 0; i < lookup->grants; i++) {
    if (has_privs_of_role(GetUserId(), lookup->granted[i])) return true;
  }
  return false;
}

[[noreturn]] void refuse_stranger(const char* name, const char* detail, const char* hint) {
  refuse(ErrorCode::not_protected, psprintf("you have no access to release \"%s\"", name), detail,
         hint);
}

}  // namespace

void reserve_release(const char* name, const ProtectedTable* table, const char* method,
                     double epsilon, double delta, const ModelColumns* columns) {
  const Oid user = GetUserId();
  const char* maker = GetUserNameFromId(user, false);
  bool taken = false, of_schedule = false;  // somebody else's, or one that there may be
  as_catalog_owner([&] {
    of_schedule = read_rows(scheduled, {name, name_value(maker), user}) > 0;
    if (of_schedule) return;
    taken = write_rows(reserve,
                       {name, table->id, name_value(maker), user, method, epsilon, delta,
                        name_array(columns->name, columns->features),
                        float8_array(columns->lower, columns->features),
                        float8_array(columns->upper, columns->features), name_value(columns->label),
                        text_array(columns->category, columns->classes)}) == 0;
  });
  if (of_schedule) {
    refuse_argument(psprintf("release \"%s\" is named as one of a schedule", name),
                    "Names that end with a date, a time and a distance from UTC are for the owner "
                    "of the schedule that they begin with.",
                    "Choose another name.");
  }
  if (taken) {
    refuse_argument(psprintf("release \"%s\" exists already", name),
                    "Names of releases are unique in a database.",
                    "Choose another name, or drop it with dpmix.drop_release().");
  }
}

void store_gmm(const StoredGmm* gmm, const GmmFacts& facts, int64 charge_id) {
  const int sizes[] = {gmm->components, gmm->features, gmm->features};
  as_catalog_owner([&] {
    (void)write_rows(
        store, {gmm->name, charge_id, float8_array(gmm->weights, 1, sizes),
                float8_array(gmm->means, 2, sizes), float8_array(gmm->covariances, 3, sizes),
                float8_array(gmm->rows, 1, sizes), oid_array(gmm->types, gmm->features, REGTYPEOID),
                facts.adjacency, facts.covariance, facts.objective, facts.dimensions,
                facts.count_stddev, facts.quality});
  });
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

namespace {

// Calls with each array of a mixture and the number of its elements.
template <class Receive>
void each_array(const StoredGmm* gmm, const Receive& receive) {
  const Size k = gmm->components, d = gmm->features;
  receive(gmm->weights, k);
  receive(gmm->rows, k);
  receive(gmm->means, k * d);
  receive(gmm->covariances, k * d * d);
}

}  // namespace

void put_gmm(StringInfo out, const StoredGmm* gmm) {
  pq_sendint32(out, gmm->components);
  each_array(gmm, [=](const double* numbers, Size count) {
    appendBinaryStringInfo(out, (const char*)numbers, (int)(count * sizeof(double)));
  });
}

StoredGmm* get_gmm(StringInfo in, const char* name, const ModelColumns* columns) {
  StoredGmm* gmm = new_gmm(name, columns, (int)pq_getmsgint(in, 4));
  each_array(gmm, [=](double* numbers, Size count) {
    memcpy(numbers, pq_getmsgbytes(in, (int)(count * sizeof(double))), count * sizeof(double));
  });
  return gmm;
}

StoredGmm* load_gmm(const char* name) {
  const Lookup lookup = find_release(name);
  if (!owns(&lookup) && !has_grant(&lookup)) {
    refuse_stranger(
        name,
        "It is for the role that made it, the table's owner and roles with access to the table.",
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
  as_catalog_owner([&] { (void)write_rows(delete_release, {name}); });
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

Value mean_value(const StoredGmm* gmm, int component) {
  return float8_array(gmm->means + (Size)component * gmm->features, gmm->features);
}

Value covariance_value(const StoredGmm* gmm, int component) {
  const int d = gmm->features, square[] = {d, d};
  return float8_array(gmm->covariances + (Size)component * d * d, 2, square);
}

}  // namespace dpmix::pg
