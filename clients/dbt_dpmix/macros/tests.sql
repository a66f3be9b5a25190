{# Tests of sources and models that are protected tables or facades. They read dpmix's record, never a row, and are free.
   A relation that the role neither owns nor has access to counts as not protected. #}

{% test protected(model) %}
select 'not protected, or no access to it' as failure
where not exists (
    select from dpmix.columns as c where '{{ model }}'::regclass in (c.relation, c.facade))
{% endtest %}

{# Columns without bounds or categories: what can be asked of them is less, or costs more. #}
{% test declared(model, except=[]) %}
select c.column_name, c.not_declared
from dpmix.columns as c
where '{{ model }}'::regclass in (c.relation, c.facade) and c.not_declared is not null
  {%- for column in except %} and c.column_name <> '{{ column }}'{% endfor %}
{% endtest %}

{# At least this share of the budget is left. #}
{% test budget_left(model, share) %}
select b.relation, b.share_spent
from dpmix.budget as b
where b.relation in (select c.relation from dpmix.columns as c where '{{ model }}'::regclass in (c.relation, c.facade))
  and 1 - b.share_spent < {{ share }}
{% endtest %}

{# For owners: nobody else may read the rows, by a right on the table or on a column. A load that makes the table anew may
   have brought rights along, by default privileges or grants of the project. #}
{% test unreadable(model) %}
select case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end as role, a.privilege_type
from (
    select c.relowner, x.*
    from pg_catalog.pg_class as c
    cross join lateral pg_catalog.aclexplode(c.relacl) as x
    where c.oid = '{{ model }}'::regclass
    union all
    select c.relowner, x.*
    from pg_catalog.pg_class as c
    join pg_catalog.pg_attribute as t on t.attrelid = c.oid and not t.attisdropped
    cross join lateral pg_catalog.aclexplode(t.attacl) as x
    where c.oid = '{{ model }}'::regclass) as a
where a.privilege_type = 'SELECT' and a.grantee <> a.relowner
{% endtest %}
