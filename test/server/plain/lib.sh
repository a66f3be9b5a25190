# Sourced by tests of plain SQL: a table of olga's with a facade, and ana, who asks with any client.
. test/server/lib/checks.sh

# Texts and numbers of rows are canaries: "canary", and 83174629 in the decimals of every wage.
plain_cluster() {  # settings...: private.cps is the facade of public.cps; memory is off
  cluster_start "$@"
  sql "CREATE EXTENSION dpmix; CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; GRANT CREATE ON SCHEMA public TO olga; GRANT CREATE ON DATABASE postgres TO olga;
       ALTER ROLE ana SET session_preload_libraries = 'dpmix';
       CREATE FUNCTION charges() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dpmix.charge'"
  PGUSER=olga sql "
    CREATE TABLE cps (id bigint PRIMARY KEY, region text, sex text, education int, wage float8, hours int, employed boolean, day date, seen timestamptz, note text);
    INSERT INTO cps SELECT i, (ARRAY['northeast', 'midwest', 'south', 'west'])[1 + i % 4], (ARRAY['F', 'M'])[1 + i / 4 % 2], i % 21, 200 + i % 1500 + 0.83174629,
      i % 60, i % 10 < 8, date '2026-01-01' + i % 365, timestamptz '2026-01-01 UTC' + i % 8760 * interval '1 hour', 'canary visit ' || i FROM generate_series(1, 4000) AS i;
    INSERT INTO cps VALUES (5000, 'canary region', 'F', 12, 2400.83174629, 99, true, '2026-06-06', '2026-06-06', 'the only canary'), (5001, 'west', 'canary sex', 99, 1e6, -4, NULL, NULL, NULL, NULL);
    CREATE TABLE regions (region text PRIMARY KEY, name text NOT NULL);
    INSERT INTO regions VALUES ('northeast', 'The Northeast'), ('midwest', 'The Midwest'), ('south', 'The South'), ('west', 'The West');
    GRANT SELECT ON regions TO PUBLIC;
    SELECT dpmix.declare_public('regions');
    SELECT dpmix.protect('cps', 1e6, .1);
    SELECT dpmix.set_categories('cps', 'region', '{northeast,midwest,south,west}'), dpmix.set_categories('cps', 'sex', '{F,M}'),
      dpmix.set_bounds('cps', 'education', 0, 20), dpmix.set_bounds('cps', 'wage', 0, 2500), dpmix.set_bounds('cps', 'hours', 0, 80),
      dpmix.set_bounds('cps', 'day', date '2026-01-01', date '2026-12-31'),
      dpmix.set_bounds('cps', 'seen', timestamptz '2026-01-01 UTC', timestamptz '2026-12-31 23:59:59 UTC');
    SELECT dpmix.grant_access('cps', 'ana', NULL, 0, NULL);
    SELECT dpmix.expose('cps', default_epsilon => 1, default_delta => 1e-9)"
  remember 0
}

remember() {  # interval: how long answers about the table are kept
  PGUSER=olga sql "SELECT dpmix.set_memory('cps', keep => '$1')"
}
