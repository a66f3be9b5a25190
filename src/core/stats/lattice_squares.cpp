#include "core/stats/lattice_squares.hpp"

namespace dpmix {

bool LatticeSquares::plausible() const {
  if (!sum.plausible()) return false;
  if (blank()) return squares == 0;
  const Int128 most = sum.count * square_placer(sum.lattice.high).most();
  return sum.lattice.low == -sum.lattice.high && squares >= -most && squares <= most;
}

bool LatticeSquares::merge(const LatticeSquares& other) {
  if (!plausible() || !other.plausible() || !sum.merge(other.sum)) return false;
  squares += other.squares;
  return true;
}

std::string LatticeSquares::to_text() const {
  return "(" + to_string(squares) + "," + sum.to_text().substr(1);
}

std::optional<LatticeSquares> LatticeSquares::from_text(std::string_view text) {
  const auto comma = text.find(',');
  if (text.empty() || text.front() != '(' || comma == text.npos) return std::nullopt;
  const std::optional<Int128> squares = parse_int128(text.substr(1, comma - 1));
  const auto sum = LatticeSum::from_text("(" + std::string(text.substr(comma + 1)));
  if (!squares || !sum) return std::nullopt;
  const LatticeSquares read{*sum, *squares};
  if (!read.plausible()) return std::nullopt;
  return read;
}

}  // namespace dpmix
