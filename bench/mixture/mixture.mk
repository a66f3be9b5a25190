# The figures of published releases of mixtures, ours beside them: core alone, optimised. `make
# bench-gmm` runs them (minutes) and redraws docs/figures/gmm_*.svg.
.PHONY: bench-gmm
bench-gmm: build/bench/mixture/figures
	build/bench/mixture/figures >build/bench/gmm.csv
	mv build/bench/gmm.csv bench/mixture/accuracy.csv
	python3 bench/mixture/plots.py bench/mixture/accuracy.csv docs/figures

# Tables as the tests make them, hence their library.
build/bench/mixture/figures: BENCH_LIBS = -lgtest -lpthread
build/bench/mixture/shapes: BENCH_LIBS = -lgtest -lpthread
