#include "pg/catalog/exposures.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/xact.h"
}

namespace dpmix::pg {
namespace {

// The objects that expose rows; those of partitions only where they do not follow from the
// parent's. Who reads the other side of a foreign key: its owner, by a grant on it or on a column,
// anybody where it is declared public.
Statement found = {
    "WITH RECURSIVE tree(root, relation) AS ("
    "  SELECT p.relation, p.relation FROM dpmix.protected_table p "
    "  JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "  WHERE p.active AND $1 IN (p.relation, 0) UNION "
    "  SELECT root, inhrelid FROM pg_inherits JOIN tree ON inhparent = relation), "
    "keys AS ("
    "  SELECT t.root, c.*, 0 AS kind, c.confrelid AS other, c.xmin AS made FROM tree t "
    "  JOIN pg_constraint c ON c.conrelid = t.relation UNION ALL "
    "  SELECT t.root, c.*, 1, c.conrelid, c.xmin FROM tree t "
    "  JOIN pg_constraint c ON c.confrelid = t.relation), "
    "outer_keys AS ("
    "  SELECT k.kind, k.root, format('%I', k.conname) AS name, k.other, k.made, "
    "    (SELECT string_agg(DISTINCT CASE WHEN role = 0 THEN 'PUBLIC' "
    "                                ELSE quote_ident(pg_get_userbyid(role)) END, ', ') FROM ("
    "       SELECT o.relowner UNION ALL "
    "       SELECT grantee FROM aclexplode(o.relacl) "
    "       WHERE privilege_type IN ('SELECT', 'INSERT', 'UPDATE') UNION ALL "
    "       SELECT x.grantee FROM pg_attribute, aclexplode(attacl) x "
    "       WHERE attrelid = o.oid AND NOT attisdropped "
    "       AND x.privilege_type IN ('SELECT', 'INSERT', 'UPDATE') UNION ALL "
    "       SELECT 0 FROM dpmix.public_table WHERE relation = o.oid AND table_name = o.relname"
    "     ) reader(role) WHERE role <> r.relowner) AS readers "
    "  FROM keys k JOIN pg_class o ON o.oid = k.other JOIN pg_class r ON r.oid = k.root "
    "  WHERE k.contype = 'f' "
    "  AND NOT EXISTS (SELECT FROM tree WHERE root = k.root AND relation = k.other) "
    "  AND NOT EXISTS (SELECT FROM keys u WHERE u.oid = k.conparentid AND u.root = k.root)) "
    "SELECT * FROM outer_keys WHERE readers IS NOT NULL AND $2 IN (other, 0) "
    "AND $3 IN (made::text, '') UNION ALL "
    "SELECT CASE WHEN i.indisexclusion THEN 2 WHEN i.indpred IS NOT NULL THEN 3 ELSE 4 END, "
    "  t.root, format('%I', c.relname), i.indrelid, i.xmin, NULL "
    "FROM tree t JOIN pg_index i ON i.indrelid = t.relation "
    "JOIN pg_class c ON c.oid = i.indexrelid "
    "WHERE (i.indisexclusion OR i.indpred IS NOT NULL OR i.indexprs IS NOT NULL) "
    "AND $2 = 0 AND $3 IN (i.xmin::text, '') "
    "AND NOT EXISTS (SELECT FROM pg_inherits h JOIN pg_index u ON u.indexrelid = h.inhparent "
    "                JOIN tree s ON s.relation = u.indrelid AND s.root = t.root "
    "                WHERE h.inhrelid = i.indexrelid) "
    "ORDER BY 2, 1, 3, 4"};

enum Kind { key_to, key_from, exclusion, partial_index, expression_index };

Exposure exposure_in(const ResultRow& row) {
  const char *table = qualified_name(row.oid(2)), *name = row.text(3),
             *other = qualified_name(row.oid(4)), *readers = row.text(6);
  switch ((Kind)row.int4(1)) {
    case key_to:
      return {psprintf("foreign key %s shows which rows of %s the rows of %s refer to", name, other,
                       table),
              psprintf("Its checks leave row locks, which can be read in xmax; rights on %s are "
                       "held by %s.",
                       other, readers),
              psprintf("Drop the constraint, or let nobody but the owner of %s read %s.", table,
                       other)};
    case key_from:
      return {psprintf("foreign key %s of %s shows which keys %s has", name, other, table),
              psprintf("Who reads or writes %s sees which keys it may refer to; rights on it are "
                       "held by %s.",
                       other, readers),
              psprintf("Drop the constraint, or let nobody but the owner of %s read and write %s.",
                       table, other)};
    case exclusion:
      return {psprintf("exclusion constraint %s shows which rows %s has", name, other),
              "Who writes the table is told of conflicts with rows, and the number of its index "
              "entries, in pg_class.reltuples, can be read by everyone.",
              "Drop the constraint, or protect a copy of the table without it."};
    case partial_index:
      return {
          psprintf("partial index %s shows how many rows of %s fulfil its condition", name, other),
          "Their exact number, in pg_class.reltuples, can be read by everyone.",
          "Drop the index, or index all rows."};
    case expression_index:
      return {psprintf("expression index %s shows something of the rows of %s", name, other),
              "Its size and its number of entries, which can be read by everyone, follow the "
              "values of the expression.",
              "Drop the index."};
  }
  elog(ERROR, "no such kind of exposure: %d", row.int4(1));
}

}  // namespace

Exposures exposures_of(Oid relation, Oid other, bool made_now) {
  const char* made = made_now ? psprintf("%u", GetCurrentTransactionIdIfAny()) : "";
  MemoryContext caller = CurrentMemoryContext;
  Exposures exposures = {};
  as_catalog_owner([&] {
    exposures.count = read_rows(found, {relation, other, made});
    MemoryContext old = MemoryContextSwitchTo(caller);
    exposures.list = (Exposure*)palloc(sizeof(Exposure) * Max(exposures.count, 1));
    for (uint64 i = 0; i < exposures.count; i++) exposures.list[i] = exposure_in(ResultRow{i});
    MemoryContextSwitchTo(old);
  });
  return exposures;
}

void warn_of_exposures(const Exposures& exposures) {
  for (uint64 i = 0; i < exposures.count; i++) {
    const Exposure& e = exposures.list[i];
    ereport(WARNING, (errcode(ERRCODE_WARNING), errmsg("%s", e.what), errdetail("%s", e.shows),
                      errhint("%s", e.remedy)));
  }
}

}  // namespace dpmix::pg
