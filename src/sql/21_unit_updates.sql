-- Who a row belongs to: what is on record of changes of it.

CREATE TABLE dpmix.unit_update (
    table_id bigint      NOT NULL,
    at       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    role     name        NOT NULL DEFAULT session_user
);
CREATE INDEX ON dpmix.unit_update (table_id, at);
COMMENT ON TABLE dpmix.unit_update IS
    'UPDATE statements that named the column of the privacy unit of a protected table: statements, not rows';
SELECT pg_catalog.pg_extension_config_dump('dpmix.unit_update', '');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON dpmix.unit_update
    FOR EACH STATEMENT EXECUTE FUNCTION dpmix_internal.refuse_change();
ALTER TABLE dpmix.unit_update ENABLE ALWAYS TRIGGER append_only;

CREATE FUNCTION dpmix_internal.unit_guard() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_unit_guard';
COMMENT ON FUNCTION dpmix_internal.unit_guard() IS
    'trigger of tables with a privacy unit: puts each statement that updates its column on record; with guard_unit '
    'PV002 where a row would come to belong to another unit';
