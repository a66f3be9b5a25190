// A client that speaks the extended protocol as drivers do: prepare, describe, execute again and
// again, in text and in binary, row by row. Prints what it saw, for clients.test.sh.
#include <libpq-fe.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

PGconn* connection;

PGresult* wanted(PGresult* result, ExecStatusType status) {
  if (PQresultStatus(result) == status) return result;
  std::printf("failed: %s", PQresultErrorMessage(result));
  std::exit(1);
}

uint64_t big_endian(const char* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value = value << 8 | (unsigned char)bytes[i];
  return value;
}

// The parameters of the outer statement are those of dpmix.query: epsilon and params.
constexpr const char* kStatement =
    "SELECT sex, n, mean FROM dpmix.query($$SELECT sex, dp_count(*) AS n, dp_avg(wage) AS mean "
    "FROM public.people WHERE id <= $1 AND sex = ANY ($2) GROUP BY sex ORDER BY sex LIMIT $3$$, "
    "epsilon => $1, params => $2) AS t(sex text, n bigint, mean float8)";

void describe() {
  PGresult* result = wanted(PQdescribePrepared(connection, "people"), PGRES_COMMAND_OK);
  std::printf("takes");
  for (int i = 0; i < PQnparams(result); i++) std::printf(" %u", PQparamtype(result, i));
  std::printf(" gives");
  for (int i = 0; i < PQnfields(result); i++) {
    std::printf(" %s:%u", PQfname(result, i), PQftype(result, i));
  }
  std::printf("\n");
  PQclear(result);
}

// More often than it takes PostgreSQL to settle for a generic plan.
void execute_often(const char* const* values) {
  for (int i = 0; i < 8; i++) {
    PGresult* result = wanted(PQexecPrepared(connection, "people", 2, values, nullptr, nullptr, 0),
                              PGRES_TUPLES_OK);
    for (int row = 0; row < PQntuples(result); row++) {
      std::printf("%s %s ", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1));
    }
    PQclear(result);
  }
  std::printf("\n");
}

void execute_binary(const char* const* values) {
  PGresult* result =
      wanted(PQexecPrepared(connection, "people", 2, values, nullptr, nullptr, 1), PGRES_TUPLES_OK);
  const auto mean = std::bit_cast<double>(big_endian(PQgetvalue(result, 0, 2)));
  std::printf("%.*s %llu %.3f\n", PQgetlength(result, 0, 0), PQgetvalue(result, 0, 0),
              (unsigned long long)big_endian(PQgetvalue(result, 0, 1)), mean);
  PQclear(result);
}

void execute_row_by_row(const char* const* values) {
  if (PQsendQueryPrepared(connection, "people", 2, values, nullptr, nullptr, 0) != 1 ||
      PQsetSingleRowMode(connection) != 1) {
    std::exit(1);
  }
  while (PGresult* result = PQgetResult(connection)) {
    if (PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
      std::printf("%s %s; ", PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1));
    }
    PQclear(result);
  }
  std::printf("\n");
}

// An error leaves the connection and the statement usable.
void execute_refused() {
  const char* const values[] = {"1", "{x,\"{F}\",1}"};
  PGresult* result = PQexecPrepared(connection, "people", 2, values, nullptr, nullptr, 0);
  std::printf("%s: %s\n", PQresultErrorField(result, PG_DIAG_SQLSTATE),
              PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  PQclear(result);
}

}  // namespace

int main() {
  connection = PQconnectdb("");
  if (PQstatus(connection) != CONNECTION_OK) {
    std::printf("%s", PQerrorMessage(connection));
    return 1;
  }
  PQclear(wanted(PQprepare(connection, "people", kStatement, 0, nullptr), PGRES_COMMAND_OK));
  describe();
  const char* const values[] = {"1e4", "{400,\"{F,M}\",NULL}"};
  execute_often(values);
  execute_binary(values);
  execute_refused();
  execute_row_by_row(values);
  PQfinish(connection);
}
