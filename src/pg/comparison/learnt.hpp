// What the synthetic table of a comparison shows of itself, and learns: read as the current user,
// in the caller.
#pragma once

#include "pg/comparison/count.hpp"
#include "pg/comparison/request.hpp"

namespace dpmix::pg {

struct Learnt {
  CompareScan scan;
  CompareStates* states;
  Numbers classifier, scores;  // of class Gaussians; of naive Bayes; size 0: there is none
};
// read: its states.
Learnt learn_synthetic(const CompareCall* call, int cells,
                       Callable<CompareStates*(const CompareScan*)> read);

CompareScan scan_of(const CompareColumns* columns, int cells);
// What a table's states teach.
Numbers classifier_of(const CompareCall* call, const CompareStates* states);
Numbers scores_of(const CompareCall* call, const CompareStates* states);

}  // namespace dpmix::pg
