# The published experiment on private coordinate descent with ours beside it: core alone, optimised.
# `make bench-pcd` takes some minutes; `make bench-pcd CENSUS=adult.csv` has the real census table.
.PHONY: bench-pcd
bench-pcd: build/bench/regression/coordinate
	build/bench/regression/coordinate $(CENSUS)

# Tables as the tests make them, hence their library.
build/bench/regression/coordinate: BENCH_LIBS = -lgtest -lpthread
