// What a table's columns are: whether declarations about them still suit.
#pragma once

// jsonb: names, and types by name, as a dump has them, without modifiers. Of types of users the
// name alone: their schema may have got another one too.
#define DPMIX_TYPES_OF(relation)                                             \
  "(SELECT coalesce(jsonb_object_agg(a.attname, CASE WHEN t.typnamespace = " \
  "          'pg_catalog'::regnamespace THEN format_type(a.atttypid, NULL) " \
  "          ELSE format('\"%s\"', t.typname) END), '{}') "                  \
  " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "               \
  " WHERE a.attrelid = " relation " AND a.attnum > 0 AND NOT a.attisdropped)"
