// Private comparisons as a kind of release.
#pragma once

#include "pg/border/result_rows.hpp"
#include "pg/comparison/learnt.hpp"
#include "pg/release/preview.hpp"

namespace dpmix::pg {

struct CompareKind {
  struct Call {
    const CompareCall* asked;
    ComparePrice price;
    ResultRows rows;
    Learnt synthetic;
  };
  // Called in the caller, who reads the synthetic table; the process is told what it shows.
  static Call read(FunctionCallInfo fcinfo);
  static void attach(StringInfo out, const Call& call);
  static Call receive(FunctionCallInfo fcinfo, StringInfo in);
  static ResultRows rows(const Call& call) { return call.rows; }
  // Looks only at which columns of the synthetic table hold values.
  static void preview(FunctionCallInfo fcinfo, Preview* preview);
  static Terms terms(const CompareCall& call, const ComparePrice& price);
};

}  // namespace dpmix::pg
