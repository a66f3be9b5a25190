{{ config(materialized='incremental', unique_key='gender') }}
select gender, round(avg(wage)::numeric, 2) as wage from {{ ref('employed') }} group by gender
