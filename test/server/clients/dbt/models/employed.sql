{{ config(materialized='view') }}
with source as (
    select * from {{ source('private', 'cps') }}
),
renamed as (
    select region, sex as gender, wage, hours, seen from source where employed
)
select * from renamed
