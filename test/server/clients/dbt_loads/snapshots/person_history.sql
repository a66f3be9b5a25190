{% snapshot person_history %}
{{ config(unique_key='person', strategy='check', check_cols=['ward'], target_schema='warehouse') }}
select * from {{ ref('person') }}
{% endsnapshot %}
