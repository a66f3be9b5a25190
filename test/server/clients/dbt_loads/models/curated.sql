{{ config(materialized='view') }}
select person, cost from {{ ref('event') }}
