-- How far running calls of dpmix.cda are.

CREATE FUNCTION dpmix.running_cda(OUT pid integer, OUT relation regclass, OUT role regrole,
                                  OUT rows_written bigint, OUT rows_total bigint,
                                  OUT started timestamptz)
    RETURNS SETOF record LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_cda_progress';
COMMENT ON FUNCTION dpmix.running_cda() IS
    'the rows of dpmix.cda_progress, which says what they are.';

CREATE VIEW dpmix.cda_progress AS
    SELECT pid, relation, role, rows_written, rows_total, started FROM dpmix.running_cda();
COMMENT ON VIEW dpmix.cda_progress IS
    'calls of dpmix.cda() that run in this database now: those of the current user''s roles, all of tables that it owns, and all for '
    'superusers and members of pg_read_all_stats. Of more than 32 calls some are not shown.';
COMMENT ON COLUMN dpmix.cda_progress.pid IS 'process of the session that runs it';
COMMENT ON COLUMN dpmix.cda_progress.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.cda_progress.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.cda_progress.rows_written IS
    'synthetic rows written so far, told by batches; 0 while records are read, and with demixing while rows wait for it';
COMMENT ON COLUMN dpmix.cda_progress.rows_total IS 'synthetic rows asked for';
COMMENT ON COLUMN dpmix.cda_progress.started IS 'server''s clock when it was charged and began';
GRANT SELECT ON dpmix.cda_progress TO PUBLIC;
