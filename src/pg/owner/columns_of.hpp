// What a table's columns are, in one text: whether declarations about them still suit. Types by
// name, as a dump has them; not by schema, which may have got another name too.
#pragma once

#define DPMIX_COLUMNS_OF(relation)                                                            \
  "(SELECT coalesce(string_agg(format('%s %I %s %I %s', a.attnum, a.attname, "                \
  "                                   t.typnamespace = 'pg_catalog'::regnamespace, "          \
  "                                   t.typname, a.atttypmod), ', ' ORDER BY a.attnum), '') " \
  " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "                                \
  " WHERE a.attrelid = " relation " AND a.attnum > 0 AND NOT a.attisdropped)"
