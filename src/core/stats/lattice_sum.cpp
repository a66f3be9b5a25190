#include "core/stats/lattice_sum.hpp"

#include <array>
#include <charconv>

namespace dpmix {
namespace {

// The shortest digits that read back as the same double.
std::string digits(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool LatticeSum::plausible() const {
  if (blank()) return count == 0 && total == 0;
  return lattice.valid() && count >= 0 && count <= max_count &&
         total >= static_cast<Int128>(count) * lattice.low &&
         total <= static_cast<Int128>(count) * lattice.high;
}

bool LatticeSum::merge(const LatticeSum& other) {
  if (!plausible() || !other.plausible()) return false;
  if (other.blank()) return true;
  if (blank()) {
    *this = other;
    return true;
  }
  if (lattice != other.lattice || count > max_count - other.count) return false;
  count += other.count;
  total += other.total;
  return true;
}

std::string LatticeSum::to_text() const {
  return "(" + std::to_string(count) + "," + to_string(total) + "," + digits(lattice.origin) + "," +
         digits(lattice.step) + "," + std::to_string(lattice.low) + "," +
         std::to_string(lattice.high) + ")";
}

std::optional<LatticeSum> LatticeSum::from_text(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::array<std::string_view, 6> field;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const auto comma = text.find(',');
    if ((comma == text.npos) != (i + 1 == field.size())) return std::nullopt;
    field[i] = text.substr(0, comma);
    if (comma != text.npos) text.remove_prefix(comma + 1);
  }
  LatticeSum sum;
  const std::optional<Int128> total = parse_int128(field[1]);
  if (!total || !parse(field[0], sum.count) || !parse(field[2], sum.lattice.origin) ||
      !parse(field[3], sum.lattice.step) || !parse(field[4], sum.lattice.low) ||
      !parse(field[5], sum.lattice.high)) {
    return std::nullopt;
  }
  sum.total = *total;
  sum.lattice.origin += 0.0;  // one zero: equal states have equal text
  if (!sum.plausible()) return std::nullopt;
  return sum;
}

}  // namespace dpmix
