# The noise benchmark: core alone, optimised as the statistical tests are. `make bench-noise` runs it
# and redraws docs/figures.
NOISE_PROGRAMS = build/bench/noise build/bench/noise_curves build/bench/noise_published build/bench/noise_counts

.PHONY: bench-noise
bench-noise: $(NOISE_PROGRAMS)
	@bench/noise/run.sh
