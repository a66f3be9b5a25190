{{ config(materialized='incremental', unique_key='id', incremental_strategy='delete+insert') }}
select 1000 * {{ var('night') }} + i as id, i as person, {{ var('night') }} as night
from generate_series(1, 50) as i
