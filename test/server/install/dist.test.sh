#!/usr/bin/env bash
# `make dist`: the archive holds what a build needs, away from git; it is refused where files do not
# agree on the version; META.json is what PGXN's specification asks for.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
unset MAKELEVEL MAKEFLAGS MFLAGS  # of `make test`: the makes below are none of its own
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "no git checkout: nothing to archive"; exit 0; }
cluster_start
tree=$PWD version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" dpmix.control)

# A repository of its own, made of this tree's files: its changes need not be committed.
repository=$CLUSTER/repository
mkdir "$repository"
git ls-files -co --exclude-standard -z | while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  tar --null -T - -cf - | tar -xf - -C "$repository"
cd "$repository"
git init -q
git config user.name dpmix; git config user.email dpmix@localhost; git config commit.gpgsign false
commit() { git add -A; git diff --cached --quiet || git commit -q -m "$1"; }
frozen=src/sql/released/dpmix--$version.sql
[ -e "$frozen" ] || packaging/frozen.sh freeze  # a version still in work: released here
sed -i "s/^## ${version//./\\.}\$/& (2026-01-01)/" CHANGELOG.md
commit tree

dist() { make -s PG_CONFIG="$PG_CONFIG" dist; }
check_command "a commit whose files agree makes two archives" dist
archive=build/dist/dpmix-$version
named() { grep -qaF "dpmix-$version/$1" "$archive.zip"; }
check_command "META.json is at the top of the zip" named META.json

mkdir "$CLUSTER/unpacked"
tar -xzf "$archive.tar.gz" -C "$CLUSTER/unpacked"
unpacked=$CLUSTER/unpacked/dpmix-$version
same_files() { diff <(git ls-files | sort) <(cd "$unpacked" && find . -type f | sed 's,^\./,,' | sort); }
check_command "the archive holds all files of the commit and no other" same_files
outside_git() { cd "$unpacked"; GIT_CEILING_DIRECTORIES=$CLUSTER make -s PG_CONFIG="$PG_CONFIG" "$@"; }
same_script() { (outside_git "dpmix--$version.sql") && cat "$tree"/src/sql/*.sql | cmp - "$unpacked/dpmix--$version.sql"; }
check_command "it makes the install script of this tree" same_script
same_plan() {  # what make would run, compilers and linker with every source
  diff <(cd "$repository" && make -nB PG_CONFIG="$PG_CONFIG" all | sed "s,$repository,,g" | sort) \
    <(outside_git -nB all | sed "s,$unpacked,,g" | sort) &&
    diff <( (outside_git -nB all) | grep -oE '[a-z_/0-9]+\.cpp' | sort -u) <(cd "$tree" && find src/core src/pg -name '*.cpp' | sort)
}
check_command "and builds by the same commands, of every source" same_plan

refused() {  # part of what it says
  if dist >refusal 2>&1; then echo "dist made archives"; return 1; fi
  grep -qF "dist: $1" refusal || { cat refusal; return 1; }
}
spoiled() {  # file, sed expression, part of what dist says
  sed -i "$2" "$1"
  commit "spoiled $1"
  check_command "refused: $3 ($2)" refused "$3"
  git reset -q --hard HEAD~1
}
echo refusal >>.git/info/exclude
spoiled Makefile 's/^EXTVERSION.*/EXTVERSION = 99.0.0/' "EXTVERSION in Makefile"
spoiled META.json '0,/"version": "[^"]*"/s//"version": "99.0.0"/' "META.json does not give"
spoiled META.json 's/dpmix--[0-9.]*sql/dpmix--99.0.0.sql/' "META.json names the script"
spoiled clients/python/pyproject.toml 's/^version = .*/version = "99.0.0"/' "clients/python has another version"
spoiled clients/dbt_dpmix/dbt_project.yml 's/^version: .*/version: "99.0.0"/' "clients/dbt_dpmix has another version"
spoiled CHANGELOG.md "s/^## ${version//./\\.} .*/## $version (unreleased)/" "CHANGELOG.md does not begin"
spoiled CHANGELOG.md "s/^## ${version//./\\.} .*/## 99.0.0 (2026-01-01)/" "CHANGELOG.md does not begin"
spoiled src/sql/22_owner.sql '$a -- one line more' "the install script"
spoiled debian/changelog '1s/([^)]*)/(99.0.0-1)/' "debian/changelog does not begin"
git rm -q "$frozen"; commit unfrozen
check_command "refused: a script that is not frozen" refused "the install script of $version is not frozen"
git reset -q --hard HEAD~1
check_command "accepted again when all is put back" dist
echo >>README.md
check_command "refused: a tree with changes" refused "the tree has changes"
git checkout -q README.md
touch new_file
check_command "refused: a file that is not committed" refused "the tree has changes"

# https://pgxn.org/spec/, what it says of the fields that are here; others are refused.
cd "$tree"
psql -XAtq -v ON_ERROR_STOP=1 -v meta="$(cat META.json)" -v version="$version" >"$CLUSTER/rules" <<'SQL'
WITH meta AS (SELECT :'meta'::jsonb AS m),
     rule(said, holds) AS (
    SELECT 'name is a term', m ->> 'name' ~ '^[^\s/\\[:cntrl:]]{2,}$' FROM meta
    UNION ALL SELECT 'version is the extension''s, and semantic', m ->> 'version' = :'version' AND m ->> 'version' ~ '^\d+\.\d+\.\d+$' FROM meta
    UNION ALL SELECT 'texts say something',
        bool_and(jsonb_typeof(m -> k) = 'string' AND length(m ->> k) > 2) FROM meta, unnest('{abstract,description,maintainer,generated_by}'::text[]) k
    UNION ALL SELECT 'license is one that the specification knows',
        m ->> 'license' IN ('agpl_3', 'apache_1_1', 'apache_2_0', 'artistic_1', 'artistic_2', 'bsd', 'freebsd', 'gfdl_1_2', 'gfdl_1_3', 'gpl_1', 'gpl_2',
                            'gpl_3', 'lgpl_2_1', 'lgpl_3_0', 'mit', 'mozilla_1_0', 'mozilla_1_1', 'openssl', 'perl_5', 'postgresql', 'qpl_1_0',
                            'ssleay', 'sun', 'zlib', 'open_source', 'restricted', 'unrestricted', 'unknown') FROM meta
    UNION ALL SELECT 'meta-spec is version 1.0.0', m #>> '{meta-spec,version}' = '1.0.0' FROM meta
    UNION ALL SELECT 'release_status', m ->> 'release_status' IN ('stable', 'testing', 'unstable') FROM meta
    UNION ALL SELECT 'provides says file and version', bool_and(p.value ->> 'version' = :'version' AND p.value ->> 'file' <> '' AND
        p.value - '{file,version,abstract,docfile}'::text[] = '{}') FROM meta, jsonb_each(m -> 'provides') p
    UNION ALL SELECT 'prereqs are of phases and relations',
        bool_and(phase.key IN ('configure', 'build', 'test', 'runtime', 'develop') AND relation.key IN ('requires', 'recommends', 'suggests', 'conflicts')
                 AND needed.value #>> '{}' ~ '^(0|\d+\.\d+\.\d+)$')
        FROM meta, jsonb_each(m -> 'prereqs') phase, jsonb_each(phase.value) relation, jsonb_each(relation.value) needed
    UNION ALL SELECT 'tags are distinct terms', bool_and(length(t) BETWEEN 1 AND 256 AND t !~ '[/\\[:cntrl:]]') AND count(*) = count(DISTINCT t)
        FROM meta, jsonb_array_elements_text(m -> 'tags') t
    UNION ALL SELECT 'no field but these',
        m - '{name,abstract,description,version,maintainer,license,release_status,provides,prereqs,generated_by,meta-spec,tags}'::text[]
        = '{}' FROM meta)
SELECT CASE WHEN holds THEN 'ok' ELSE 'not ok' END || ' - META.json: ' || said FROM rule;
SQL
cat "$CLUSTER/rules"
while IFS= read -r file; do
  check_command "META.json: $file is in the archive" test -f "$unpacked/$file"
done < <(psql -XAtq -v meta="$(cat META.json)" <<'SQL'
SELECT p.value ->> k FROM jsonb_each(:'meta'::jsonb -> 'provides') p, unnest('{file,docfile}'::text[]) k;
SQL
)
# In the form of Meta Spec v2 (RFC 3), it says the same; `pgxn_meta`, run by hand, knows all the rules.
second=$(cat "$repository/build/dist/META.v2.json")
check "META.v2.json: the same distribution" t "$(psql -XAtq -v one="$(cat META.json)" -v two="$second" <<'SQL'
SELECT (:'one'::jsonb -> 'version', :'one'::jsonb -> 'name', ARRAY(SELECT jsonb_object_keys(:'one'::jsonb -> 'provides')))
     = (:'two'::jsonb -> 'version', :'two'::jsonb -> 'name', ARRAY(SELECT jsonb_object_keys(:'two'::jsonb #> '{contents,extensions}')))
SQL
)"
while IFS= read -r file; do
  check_command "META.v2.json: $file is in the archive" test -f "$unpacked/$file"
done < <(psql -XAtq -v meta="$second" <<'SQL'
SELECT e.value ->> k FROM jsonb_each(:'meta'::jsonb #> '{contents,extensions}') e, unnest('{control,sql,doc}'::text[]) k;
SQL
)
