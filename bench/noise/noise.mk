# The noise benchmark: core alone, optimised as the statistical tests are. `make bench-noise` runs it
# and redraws docs/figures.
NOISE_PROGRAMS = build/bench/noise/grid build/bench/noise/curves build/bench/published/noise build/bench/noise/counts

.PHONY: bench-noise
bench-noise: $(NOISE_PROGRAMS)
	@bench/noise/run.sh
