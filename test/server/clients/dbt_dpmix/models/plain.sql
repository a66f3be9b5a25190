select region, name from {{ source('public', 'regions') }}
