#include "pg/cda_demix.hpp"

#include <utility>

#include "core/poll.hpp"
#include "pg/guard.hpp"

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
  if (k != k_) end_class();
  moments_.add(half_widths);
  postgres([&] { BufFileWrite(waiting_, (void*)half_widths, features_ * sizeof(double)); });
}

void Demixer::finish() {
  if (demix_ == Demix::none) return;
  end_class();
  if (demix_ == Demix::tied) replay(0, spread_.demixing_map());
  postgres([&] { BufFileClose(waiting_); });
}

void Demixer::end_class() {
  const MixedClass& c = classes_[static_cast<std::size_t>(k_)];
  moments_.flush();
  means_.push_back(spread_.add(moments_, c.mix, c.rate, c.noise(features_)));
  moments_ = RowMoments(features_);
  ++k_;
  if (demix_ == Demix::per_class) {
    replay(k_ - 1, spread_.demixing_map());
    spread_ = MixedSpread(features_);
    postgres([&] { rewind(waiting_); });
  }
}

// The waiting rows are those of classes first_class .. k_ - 1.
void Demixer::replay(int first_class, const Eigen::MatrixXd& map) {
  Eigen::VectorXd row(features_), demixed(features_);
  postgres([&] { rewind(waiting_); });
  for (int k = first_class; k < k_; ++k) {
    const Eigen::VectorXd& mean = means_[static_cast<std::size_t>(k)];
    for (std::int64_t t = 0; t < classes_[static_cast<std::size_t>(k)].rows; ++t) {
      poll();
      double* data = row.data();
      postgres([&] { read(waiting_, data, features_ * sizeof(double)); });
      row -= mean;
      demixed.noalias() = map * row;
      demixed += mean;
      put_(k, demixed.data());
    }
  }
}

}  // namespace dpmix::pg
