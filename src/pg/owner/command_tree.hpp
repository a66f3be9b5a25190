// What statements of event triggers share.
#pragma once

// WITH clause: the command's table, those made of its row type, and all that inherit from them.
#define DPMIX_COMMAND_TREE                                                                    \
  "WITH RECURSIVE tree(relation) AS ("                                                        \
  "  SELECT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass " \
  "  UNION SELECT c.oid FROM pg_event_trigger_ddl_commands() d "                              \
  "  JOIN pg_type t ON t.typrelid = d.objid JOIN pg_class c ON c.reloftype = t.oid "          \
  "  UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = relation) "

// The command's own table, with its names.
#define DPMIX_COMMAND_TABLE                                               \
  "pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid " \
  "JOIN pg_namespace n ON n.oid = c.relnamespace "
