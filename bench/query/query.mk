# What a private query costs beside the same query without privacy, in a throwaway cluster: some ten
# minutes at 10^7 rows.
.PHONY: bench-query
bench-query: all
	bench/query/scan.sh
