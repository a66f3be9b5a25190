# What synthetic tables are good for, ours beside the published calibration and sampled mixtures: core
# alone, optimised. `make bench-cda` runs it (some fifteen minutes) and redraws docs/figures/cda_*.svg;
# `make bench-cda IDX=folder` adds images in files of the IDX format, such as MNIST's (hours).
.PHONY: bench-cda
bench-cda: build/bench/synthetic/figures
	build/bench/synthetic/figures 100 all $(IDX) >build/bench/cda.csv
	mv build/bench/cda.csv bench/synthetic/accuracy.csv
	python3 bench/synthetic/plots.py bench/synthetic/accuracy.csv bench/synthetic/sigma.csv docs/figures

# Tables as the tests make them, hence their library.
build/bench/synthetic/figures: BENCH_LIBS = -lgtest -lpthread
