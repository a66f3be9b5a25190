-- The catalog follows DDL: renames of schemas, tables and columns, drops, changed types; and a
-- partition tree never gets two budgets.
CREATE FUNCTION dpmix.follow_ddl() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_ddl';
COMMENT ON FUNCTION dpmix.follow_ddl() IS 'event trigger: keeps the catalog in step with ALTER. PV002: '
    'an attachment would put one protected table inside another';
CREATE FUNCTION dpmix.follow_drop() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_drop';
COMMENT ON FUNCTION dpmix.follow_drop() IS 'event trigger: ends the protection of dropped tables; charges stay';

CREATE EVENT TRIGGER dpmix_follow_ddl ON ddl_command_end EXECUTE FUNCTION dpmix.follow_ddl();
CREATE EVENT TRIGGER dpmix_follow_drop ON sql_drop EXECUTE FUNCTION dpmix.follow_drop();

-- Also under session_replication_role = replica: a rename that is not followed would lose a record.
ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS;
ALTER EVENT TRIGGER dpmix_follow_drop ENABLE ALWAYS;

CREATE FUNCTION dpmix.announce_drop() RETURNS event_trigger LANGUAGE c
    AS 'MODULE_PATHNAME', 'dpmix_announce_drop';
COMMENT ON FUNCTION dpmix.announce_drop() IS
    'event trigger: warns that the record of all charges goes with the extension';
CREATE EVENT TRIGGER dpmix_announce_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION', 'DROP OWNED')
    EXECUTE FUNCTION dpmix.announce_drop();
ALTER EVENT TRIGGER dpmix_announce_drop ENABLE ALWAYS;
