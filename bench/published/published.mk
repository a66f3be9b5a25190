# What the four papers say beside what is true and what dpmix does: figures of README's table, three minutes.
.PHONY: bench-papers
bench-papers: build/bench/published/cells build/bench/published/noise build/statistical/run
	build/bench/published/cells bench/published/cells.csv
	build/bench/published/noise
	build/statistical/run --gtest_filter='PublishedAudit.*:CdaAudit.PublishedCalibrationBreaks:GmmEmAccuracy.Loses*'
