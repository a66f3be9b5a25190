# The noise benchmark: core alone, optimised as the statistical tests are. `make bench-noise` runs it
# and redraws docs/figures.
NOISE_PROGRAMS = build/bench/noise/grid build/bench/noise/curves build/bench/published/noise build/bench/noise/counts

.PHONY: bench-noise
bench-noise: $(NOISE_PROGRAMS)
	@bench/noise/run.sh

# What the four papers say beside what is true and what dpmix does: figures of README's table, some ten minutes.
.PHONY: bench-papers
bench-papers: build/bench/published/cells build/bench/published/noise build/statistical/run
	build/bench/published/cells bench/published/cells.csv
	build/bench/published/noise
	build/statistical/run --gtest_filter='PublishedAudit.*:CdaAudit.PublishedCalibrationBreaks:GmmEmAccuracy.Loses*'
