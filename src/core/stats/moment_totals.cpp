#include "core/stats/moment_totals.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/input/moment_frame.hpp"
#include "core/stats/lattice_sum.hpp"
#include "core/stats/state_text.hpp"

namespace dpmix {
namespace {

Int128 magnitude(Int128 value) {
  return value < 0 ? -value : value;
}

bool plausible_class(const MomentTotals::Class& c, const MomentShape& shape) {
  const auto d = static_cast<std::size_t>(shape.features);
  if (c.sums.size() != d || c.products.size() != shape.products()) return false;
  if (c.count < 0 || c.count > LatticeSum::max_count) return false;
  const Int128 most = static_cast<Int128>(c.count) * shape.resolution;
  const Int128 most_squared = most * shape.resolution;
  // Bounds first: the values of a forged state may be too large to negate or to add.
  const auto within = [](const std::vector<Int128>& values, Int128 bound) {
    return std::all_of(values.begin(), values.end(),
                       [&](Int128 v) { return -bound <= v && v <= bound; });
  };
  if (!within(c.sums, most) || !within(c.products, most_squared)) return false;
  Int128 trace = 0;
  for (std::size_t i = 0, diagonal = 0; i < d; diagonal += d - i, ++i) {
    // q^2 >= |q| for integers.
    if (c.products[diagonal] < magnitude(c.sums[i])) return false;
    trace += c.products[diagonal];
  }
  return trace <= most_squared;
}

void append(std::string& text, const std::vector<Int128>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += to_string(values[i]);
  }
}

}  // namespace

std::uint64_t fingerprint(std::span<const double> packed_frame) {  // FNV-1a, by 8 bytes
  std::uint64_t hash = 14695981039346656037u;
  for (const double x : packed_frame) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211u;
    hash ^= hash >> 32;  // a product carries upwards only
  }
  return hash;
}

bool MomentShape::valid() const {
  if (blank()) return true;
  return classes >= 1 && classes <= MomentFrame::max_classes && features >= 1 &&
         features <= MomentFrame::max_features && resolution >= 1 &&
         resolution <= MomentFrame::max_resolution &&
         static_cast<std::int64_t>(products()) * classes <= MomentFrame::max_products;
}

MomentTotals& MomentTotals::operator+=(const MomentTotals& other) {
  if (other.shape.blank()) return *this;
  if (shape.blank()) return *this = other;
  const auto add = [](std::vector<Int128>& to, const std::vector<Int128>& from) {
    std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
  };
  for (std::size_t k = 0; k < classes.size(); ++k) {
    classes[k].count += other.classes[k].count;
    add(classes[k].sums, other.classes[k].sums);
    add(classes[k].products, other.classes[k].products);
  }
  return *this;
}

bool MomentTotals::plausible() const {
  return shape.valid() && classes.size() == static_cast<std::size_t>(shape.classes) &&
         std::all_of(classes.begin(), classes.end(),
                     [&](const Class& c) { return plausible_class(c, shape); });
}

std::string MomentTotals::to_text() const {
  if (shape.blank()) return "()";
  std::string text = "(" + std::to_string(shape.classes) + "," + std::to_string(shape.features) +
                     "," + std::to_string(shape.resolution) + "," + hex(shape.frame) + ")";
  for (const Class& c : classes) {
    text += "{" + std::to_string(c.count) + "|";
    append(text, c.sums);
    text += "|";
    append(text, c.products);
    text += "}";
  }
  return text;
}

std::optional<MomentTotals> MomentTotals::from_text(std::string_view text) {
  MomentTotals totals;
  if (text == "()") return totals;
  StateReader reader{text};
  MomentShape& shape = totals.shape;
  reader.expect('(');
  reader.read(shape.classes);
  reader.expect(',');
  reader.read(shape.features);
  reader.expect(',');
  reader.read(shape.resolution);
  reader.expect(',');
  reader.read(shape.frame, 16);
  reader.expect(')');
  if (!reader.ok || shape.blank() || !shape.valid()) return std::nullopt;
  for (std::int32_t k = 0; reader.ok && k < shape.classes; ++k) {
    Class& c = totals.classes.emplace_back();
    reader.expect('{');
    reader.read(c.count);
    reader.expect('|');
    reader.read(c.sums, static_cast<std::size_t>(shape.features));
    reader.expect('|');
    reader.read(c.products, shape.products());
    reader.expect('}');
  }
  if (!reader.done() || !totals.plausible()) return std::nullopt;
  return totals;
}

}  // namespace dpmix
