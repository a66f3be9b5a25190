// From rows to a stored regression: the scans of its release, and what is made of them.
#pragma once

#include "pg/regression/request.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

struct PlainNumbers {  // in plain memory
  double* number;
  int count;
};

struct RegressionScans {
  SilentScan *moments, *passes;  // passes: of a logistic regression, else NULL
  SilentScan* rows;              // to be held; NULL: they are scanned in each pass
  SampledUnits* units;           // of which some rows count, drawn anew in each scan; NULL: all do
  MemoryContext context;         // of the scan that runs: what it allocates goes when it is over
};

// Before the charge: whatever planning a scan refuses is refused here.
RegressionScans plan_scans(const RegressionCall* call);

struct MadeRegression {  // in plain memory
  PlainNumbers model;    // RegressionModel::pack()
  double* rows;          // of each class
  int untold;            // classes whose coefficients have no intervals
};

// After the charge: scans, noise, and from there post-processing.
MadeRegression make_model(const RegressionCall* call, const CallPlan& plan,
                          const RegressionScans& scans);

}  // namespace dpmix::pg
