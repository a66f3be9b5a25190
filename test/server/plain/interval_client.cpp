// A driver that prepares, describes and executes under dpmix.intervals, for intervals.test.sh. Each
// line: what a statement was said to give, or gave.
#include <libpq-fe.h>

#include <cstdio>
#include <cstring>

namespace {

PGconn* connection;

void show(const char* what, PGresult* result) {
  std::printf("%s:", what);
  if (PQresultStatus(result) == PGRES_FATAL_ERROR) {
    std::printf(" %s", PQresultErrorField(result, PG_DIAG_SQLSTATE));
  }
  for (int i = 0; i < PQnfields(result); i++) {
    std::printf(" %s:%u", PQfname(result, i), PQftype(result, i));
  }
  if (PQntuples(result) > 0) std::printf(" in %d", PQntuples(result));
  std::printf("\n");
  PQclear(result);
}

void run(const char* statement) {
  PGresult* result = PQexec(connection, statement);
  if (PQresultStatus(result) == PGRES_FATAL_ERROR) {
    std::printf("failed: %s", PQresultErrorMessage(result));
  }
  PQclear(result);
}

constexpr const char* kStatement =
    "SELECT region, count(*) AS n FROM private.cps WHERE education > $1 GROUP BY region";

PGresult* execute(const char* name) {
  const char* values[] = {"3"};
  return PQexecPrepared(connection, name, 1, values, nullptr, nullptr, 0);
}

}  // namespace

int main() {
  connection = PQconnectdb("");
  PQsetNoticeProcessor(
      connection, [](void*, const char*) {}, nullptr);
  run("SET dpmix.intervals = on");
  PQclear(PQprepare(connection, "asked", kStatement, 1, nullptr));
  show("described", PQdescribePrepared(connection, "asked"));
  for (int i = 0; i < 7; i++) PQclear(execute("asked"));  // until the plan is generic
  show("executed", execute("asked"));
  const char* values[] = {"3"};
  show("unnamed", PQexecParams(connection, kStatement, 1, nullptr, values, nullptr, nullptr, 0));
  show("simple", PQexec(connection, "SELECT 1 AS one; SELECT count(*) AS n FROM private.cps"));
  // What makes plans anew: the same columns, told and given.
  run("SELECT touch()");
  show("described again", PQdescribePrepared(connection, "asked"));
  run("SELECT touch()");
  show("executed again", execute("asked"));
  run("BEGIN; DECLARE c CURSOR FOR SELECT count(*) AS n FROM private.cps");
  show("a cursor", PQexec(connection, "FETCH c"));
  run("COMMIT");
  run("PREPARE p AS SELECT count(*) AS n FROM private.cps");
  show("PREPARE", PQexec(connection, "EXECUTE p"));
  run("CREATE TEMP VIEW v AS SELECT region, count(*) AS n FROM private.cps GROUP BY region");
  show("a view", PQexec(connection, "SELECT * FROM v"));
  // A setting that changed: the columns that were told, or PostgreSQL's own error.
  PQclear(execute("asked"));
  run("SET dpmix.intervals = off");
  show("as prepared", execute("asked"));
  run("SELECT touch()");
  show("made anew", execute("asked"));
  PQclear(PQprepare(connection, "without", kStatement, 1, nullptr));
  show("without", PQdescribePrepared(connection, "without"));
  show("executed without", execute("without"));
  PQfinish(connection);
}
