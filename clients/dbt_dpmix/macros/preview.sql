{# What a model would be charged, without a charge:
       dbt run-operation preview --args '{model: wages_by_region}'
   The models that it refers to are those of the database: build them before. #}

{% macro preview(model) %}
  {%- set found = graph.nodes.values() | selectattr("resource_type", "equalto", "model") | selectattr("name", "equalto", model) | list -%}
  {%- if found | length == 0 -%}
    {{ exceptions.raise_compiler_error("there is no model " ~ model) }}
  {%- endif -%}
  {%- set lines = run_query("explain (costs off) " ~ render(found[0].raw_code)).columns[0].values() -%}
  {%- set private = [] -%}
  {%- for line in lines if line.strip().startswith("Private Answer") -%}
    {%- do private.append(line.strip()) -%}
  {%- endfor -%}
  {%- for line in private -%}
    {%- do log(line, info=true) -%}
  {%- else -%}
    {%- do log(model ~ ": nothing private is asked", info=true) -%}
  {%- endfor -%}
{% endmacro %}
