// What a table's columns are, in one text: whether declarations about them still suit.
#pragma once

#define DPMIX_COLUMNS_OF(relation)                                                              \
  "(SELECT string_agg(format('%s %I %s', a.attnum, a.attname, "                                 \
  "                          format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum) "   \
  " FROM pg_attribute a WHERE a.attrelid = " relation " AND a.attnum > 0 AND NOT a.attisdropped)"
