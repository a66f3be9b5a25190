// Synthetic rows on their way out: straight through, or demixed (core/synthetic/demix.hpp), for
// which they wait in a temporary file until the moments they need are known. Memory is O(d^2), and
// the file goes with its resource owner: at an error as at the end.
// Use it inside guard().
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/synthetic/cda.hpp"
#include "core/synthetic/demix.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace dpmix::pg {

class Demixer {
 public:
  using Put = std::function<void(int k, const double* half_widths)>;

  Demixer(Demix demix, std::span<const MixedClass> classes, int features, Put put);
  // Rows come class by class, k from 0; put() gets them in the same order.
  void add(int k, const double* half_widths);
  void finish();  // call after the last row

 private:
  void end_class();
  // Puts the rows of class k, the next in the file.
  void replay(int k, const Eigen::MatrixXd& map);

  const Demix demix_;
  const std::span<const MixedClass> classes_;
  const int features_;
  const Put put_;
  BufFile* waiting_ = NULL;
  int k_ = 0;
  RowMoments moments_;                  // those of class k_
  MixedSpread spread_;                  // that of class k_, or of all so far
  std::vector<Eigen::VectorXd> means_;  // those of the classes before k_
};

}  // namespace dpmix::pg
