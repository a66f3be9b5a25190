-- The catalog follows DDL: renames of schemas, tables and columns, drops, changed types; and a
-- partition tree never gets two budgets.
CREATE FUNCTION dpmix.follow_ddl() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_ddl';
COMMENT ON FUNCTION dpmix.follow_ddl() IS 'event trigger: keeps the catalog in step with ALTER. PV002: '
    'an attachment would put one protected table inside another';
CREATE FUNCTION dpmix.follow_drop() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_drop';
COMMENT ON FUNCTION dpmix.follow_drop() IS 'event trigger: ends the protection of dropped tables; charges stay';

CREATE EVENT TRIGGER dpmix_follow_ddl ON ddl_command_end EXECUTE FUNCTION dpmix.follow_ddl();
CREATE EVENT TRIGGER dpmix_follow_drop ON sql_drop EXECUTE FUNCTION dpmix.follow_drop();
