select region, count(*) as people, avg(wage) as wage
from {{ source('private', 'cps') }}
where hours >= {{ var('hours', 10) }}
group by region
