select region, count(*) as people, avg(wage) as wage, avg(wage) / nullif(avg(hours), 0) as hourly
from {{ ref('employed') }}
group by region
