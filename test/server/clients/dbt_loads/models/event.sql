{{ config(materialized='table') }}
select i as id, i % 100 as person, (i % 10)::float8 as cost, date '2026-01-01' + i % 30 as day
from generate_series(1, 1000 + 10 * {{ var('night') }}) as i
