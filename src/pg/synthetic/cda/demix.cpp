#include "pg/synthetic/cda/demix.hpp"

#include <algorithm>
#include <utility>

#include "core/algebra/product.hpp"
#include "core/base/poll.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {
namespace {

void rewind(BufFile* file) {
  if (BufFileSeek(file, 0, 0, SEEK_SET) != 0) {
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not rewind temporary file: %m")));
  }
}

void read(BufFile* file, void* data, Size size) {
  if (BufFileRead(file, data, size) != size) {
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not read temporary file: %m")));
  }
}

}  // namespace

Demixer::Demixer(Demix demix, std::span<const MixedClass> classes, int features, Put put)
    : demix_(demix),
      classes_(classes),
      features_(features),
      put_(std::move(put)),
      moments_(demix == Demix::none ? 0 : features),
      spread_(demix == Demix::none ? 0 : features) {
  if (demix_ != Demix::none) postgres([&] { waiting_ = BufFileCreateTemp(false); });
}

void Demixer::add(int k, const double* half_widths) {
  if (demix_ == Demix::none) {
    put_(k, half_widths);
    return;
  }
  while (k_ < k) end_class();  // several: classes may have no rows
  moments_.add(half_widths);
  postgres([&] { BufFileWrite(waiting_, (void*)half_widths, features_ * sizeof(double)); });
}

void Demixer::finish() {
  if (demix_ == Demix::none) return;
  end_class();
  if (demix_ == Demix::tied) {
    postgres([] { DPMIX_FAULT("cda.solving"); });
    const Demixing demixing(std::move(spread_));
    postgres([&] { rewind(waiting_); });
    for (int k = 0; k < k_; ++k) {
      const auto& c = classes_[static_cast<std::size_t>(k)];
      if (c.rows > 0) replay(k, demixing.map(mixing_of(c), means_[static_cast<std::size_t>(k)]));
    }
  }
  postgres([&] { BufFileClose(waiting_); });
}

void Demixer::end_class() {
  moments_.flush();
  const bool has_rows = moments_.rows > 0;
  means_.push_back(spread_.add(moments_, mixing_of(classes_[static_cast<std::size_t>(k_)])));
  moments_ = RowMoments(features_);
  if (demix_ == Demix::per_class && has_rows) {
    postgres([] { DPMIX_FAULT("cda.solving"); });
    const Eigen::MatrixXd map = Demixing(std::move(spread_)).map();
    postgres([&] { rewind(waiting_); });
    replay(k_, map);
    postgres([&] { rewind(waiting_); });
    spread_ = MixedSpread(features_);
  }
  ++k_;
}

void Demixer::replay(int k, const Eigen::MatrixXd& map) {
  postgres([] { DPMIX_FAULT("cda.demixing"); });
  const MixedClass& c = classes_[static_cast<std::size_t>(k)];
  const Eigen::VectorXd& mean = means_[static_cast<std::size_t>(k)];
  const Eigen::Index block = polled_columns(features_);
  Eigen::MatrixXd rows(features_, block);
  for (std::int64_t first = 0; first < c.rows; first += block) {
    poll();
    const auto count = static_cast<Eigen::Index>(std::min<std::int64_t>(block, c.rows - first));
    double* data = rows.data();
    const Size size = static_cast<Size>(features_ * count) * sizeof(double);
    postgres([&] { read(waiting_, data, size); });
    auto now = rows.leftCols(count);
    now.colwise() -= mean;
    Eigen::MatrixXd demixed = product(map, now);
    for (Eigen::Index t = 0; t < count; ++t) {
      demixed.col(t) += mean;
      put_(k, demixed.col(t).data());
    }
  }
}

}  // namespace dpmix::pg
