with months as (
    select date_trunc('month', seen) as month, count(*) as people from {{ ref('employed') }} group by 1
)
select month, people, people - lag(people) over (order by month) as change from months
