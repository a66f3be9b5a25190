{{ config(materialized='table') }}
select i as person, (i + {{ var('night') }}) % 7 as ward from generate_series(1, 100) as i
