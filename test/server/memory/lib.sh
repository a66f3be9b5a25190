# Sourced by the tests of memory: a table under an accountant that knows differences, and roles that ask.
. test/server/lib/people.sh

memory_cluster() {  # settings...: memory as it is where nobody sets anything
  cluster_start "dpmix.memory_keep = '1d'" "$@"
  sql "CREATE EXTENSION dpmix; GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN;
       CREATE ROLE bob LOGIN; CREATE ROLE carl LOGIN"
  people_table people
}

people_table() {  # name [accountant]
  PGUSER=olga sql "SET client_min_messages = warning;
    CREATE TABLE $1 (id int PRIMARY KEY, sex text NOT NULL, wage float8, day date);
    INSERT INTO $1 SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i % 100, '2026-01-01'::date + i % 28
      FROM generate_series(1, 500) i;
    SELECT dpmix.protect('$1', 1000, 1e-3, accountant => '${2:-gdp}');
    SELECT dpmix.set_bounds('$1', 'wage', 0, 100); SELECT dpmix.set_categories('$1', 'sex', '{F,M}');
    SELECT dpmix.grant_access('$1', 'ana', NULL, 0, NULL); SELECT dpmix.grant_access('$1', 'bob', NULL, 0, NULL)" >/dev/null
}

declare_folk() {  # of a table that the test made: by which keys cubes are asked for
  PGUSER=olga sql "SELECT dpmix.protect('folk', 1e6, 1e-2, accountant => 'gdp');
    SELECT dpmix.set_categories('folk', 'region', '{n,s,e,w}'), dpmix.set_categories('folk', 'mood', '{sad,glad}'),
           dpmix.set_bounds('folk', 'schooling', 1, 5), dpmix.set_bounds('folk', 'wage', 0, 100);
    SELECT dpmix.grant_access('folk', 'ana', NULL, 0, NULL), dpmix.grant_access('folk', 'bob', NULL, 0, NULL)" >/dev/null
}

# asked TEXT EPSILON [MORE]: the answer as one line; NOTICEs go to the log.
asked() {
  sql "SET client_min_messages = warning; SELECT string_agg(a::text, ' ') FROM dpmix.query_json(\$\$$1\$\$, $2, 1e-9${3:+, $3}) a" || true
}
verdict() {  # TEXT EPSILON [MORE]
  sql "SET client_min_messages = warning; SELECT DISTINCT memory FROM dpmix.preview(\$\$$1\$\$, $2, 1e-9${3:+, $3})"
}
paid() {  # statements...: how many charges they made
  local before
  before=$(PGUSER=postgres all_charges)
  "$@" >/dev/null
  echo $(($(PGUSER=postgres all_charges) - before))
}
