#include "core/tree_model/bins.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/index.hpp"
#include "core/base/next_double.hpp"

namespace dpmix {
namespace {

constexpr int most_full = 64, most_parts = 1024;
constexpr double full_noise = 6;    // a full cell has so many deviations of rows, at least
constexpr double spike_share = .3;  // of the rows of its cell
constexpr int most_pieces = 8;      // of a bin
constexpr double piece_noise = 6;   // a piece has so many deviations of rows, at least
constexpr int most_voids = 3;       // runs of cells without rows that are told apart in a piece

// Rows before each cell, which cannot fall, and those of all.
std::vector<double> rows_below(const CellDistribution& rows) {
  std::vector<double> below = {0};
  for (const double b : rows.below) below.push_back(std::max(below.back(), b));
  return below;
}

// The number with the fewest decimals in [low, high).
double shortest_between(double low, double high) {
  if (low <= 0 && high > 0) return 0;
  const double size = std::max(std::abs(low), std::abs(high));
  double unit = std::min(1e308, std::pow(10, std::ceil(std::log10(size))));
  for (; unit > (high - low) / 16; unit /= 10) {
    const double x = std::ceil(low / unit - 1e-9) * unit;
    const double near = unit >= 1 ? x : std::round(x / unit) / std::round(1 / unit);
    if (near >= low && near < high) return near;
  }
  return low;
}

}  // namespace

Zoom::Zoom(const CutColumn& fine, const CellDistribution& rows, double noise, int columns)
    : whole_(fine.values.whole) {
  const std::vector<double> below = rows_below(rows);
  const int count = fine.cells.cells() - 1;
  std::vector<std::pair<double, int>> full;  // rows, cell
  CellSpan near = {count, 0};                // from the first cell with many rows to the last
  for (int i = 0; i < count; ++i) {
    const double inside =
        below[static_cast<std::size_t>(i) + 1] - below[static_cast<std::size_t>(i)];
    if (inside < full_noise * noise) continue;
    near = {std::min(near.from, i), i + 1};
    const double low = fine.low(i), high = fine.high(i);
    if (high <= next_up(low)) {
      ends_.push_back({low, inside});
    } else if (whole_ && high - low == 1) {
      ends_.push_back({(low + high) / 2, inside});
    } else {
      full.push_back({inside, i});
    }
  }
  std::sort(full.rbegin(), full.rend());
  full.resize(std::min<std::size_t>(full.size(), most_full));
  std::sort(full.begin(), full.end(), [](auto& x, auto& y) { return x.second < y.second; });
  const int parts_at_most =
      std::min(most_parts, MarginalTables::most_cells / (columns * (most_full + 1)));
  tails_ = find_tails(below, noise, near);
  int codes = 1 + static_cast<int>(tails_.size());
  low_.assign(tails_.size() + 1, 0);
  high_ = low_;
  const auto begin = [&](double edge, int code) {  // of the cells from here on
    if (!cells_.edges.empty() && cells_.edges.back() == edge) {
      cells_.code.back() = code;
      return;
    }
    cells_.edges.push_back(edge);
    cells_.code.push_back(code);
  };
  cells_.code.push_back(tails_.low.empty() ? 0 : 1);
  for (std::size_t s = 0; s < tails_.low.size(); ++s) {
    const bool last = s + 1 == tails_.low.size();
    begin(fine.high(tails_.low[s].to - 1), last ? 0 : static_cast<int>(s) + 2);
  }
  for (const auto& [inside, cell] : full) {
    const double low = fine.low(cell), high = fine.high(cell);
    const double parts = whole_ ? std::min<double>(high - low, parts_at_most) : parts_at_most;
    const int first = codes;
    for (int part = 0; part < parts; ++part) {
      const double share = (high - low) * part / parts;
      const double edge = low + (whole_ ? std::floor(share) : share);
      if (part > 0 && !(edge > low_.back() && edge < high)) continue;  // there are no more doubles
      if (part > 0) high_.push_back(edge);
      begin(edge, codes++);
      low_.push_back(edge);
    }
    high_.push_back(high);
    begin(high, 0);
    full_.push_back({first, codes - first, inside});
  }
  for (std::size_t s = tails_.high.size(); s-- > 0;) {  // from the inside out, which ascends
    begin(fine.low(tails_.high[s].from), static_cast<int>(tails_.low.size() + s) + 1);
  }
  cells_.code.push_back(0);  // missing
}

CellDistribution Zoom::rows(const CellDistribution& rows, std::span<const double> counts,
                            double noise) const {
  if (tails_.size() == 0) return rows;
  std::vector<double> below =
      with_tails(rows_below(rows), tails_, counts.subspan(1, tails_.size()), noise);
  return {{below.begin() + 1, below.end()}, rows.total, rows.magnitude};
}

std::vector<Spike> Zoom::spikes(std::span<const double> counts, double noise) const {
  std::vector<Spike> spikes = ends_;
  for (const Full& full : full_) {
    const auto first = counts.begin() + full.first;
    const auto most = std::max_element(first, first + full.parts);
    if (*most < full_noise * noise || *most < spike_share * full.rows) continue;
    const auto code = static_cast<std::size_t>(most - counts.begin());
    const double value = shortest_between(low_[code], high_[code]);
    spikes.push_back({whole_ ? std::ceil(value) : value, *most});
  }
  std::sort(spikes.begin(), spikes.end(),
            [](const Spike& x, const Spike& y) { return x.value < y.value; });
  return spikes;
}

namespace {

// What [from, to) is of [low, high), even of one that is wider than the largest double.
double part(double from, double to, double low, double high) {
  const double width = high - low;
  return std::isfinite(width) ? (to - from) / width : (to / 2 - from / 2) / (high / 2 - low / 2);
}

// Cells of one column, appended from left to right.
class CellsOut {
 public:
  CellsOut(const CutColumn& fine, std::span<const Spike> spikes) : fine_(fine), spikes_(spikes) {}

  // Appends the cells from one fine cell up to another: this many rows, of this code.
  void piece(int from, int to, double rows, int code) {
    const double low = fine_.low(from), high = fine_.high(to - 1);
    const bool last = to == fine_.cells.cells() - 1;
    double apart = 0;
    auto end = spikes_.begin();
    for (; end != spikes_.end() && (end->value < high || (last && end->value <= high)); ++end) {
      apart += end->rows;
    }
    const double left = std::max(rows - apart, rows * 1e-3 + 1e-9);
    double at = low;
    for (; spikes_.begin() != end; spikes_ = spikes_.subspan(1)) {
      const Spike& spike = spikes_.front();
      const double start = fine_.values.whole ? spike.value - .5 : spike.value;
      const double stop = fine_.values.whole ? spike.value + .5 : next_up(spike.value);
      if (start > at) add(at, left * part(at, start, low, high), code);
      add(start, spike.rows, code);
      at = stop;
    }
    if (at < high) {
      add(at, left * part(at, high, low, high), code);
    } else if (at == low) {  // one number, and no spike there
      add(at, left, code);
    }
  }
  CutColumn finish(int codes) {
    const bool missing = fine_.values.missing;
    cells_.code.push_back(missing ? codes : codes - 1);
    weight_.push_back(missing ? 1 : 0);
    return {fine_.values, std::move(cells_), std::move(weight_)};
  }

 private:
  void add(double low, double rows, int code) {
    if (!cells_.code.empty()) {
      if (!(low > (cells_.edges.empty() ? fine_.values.lower - 1 : cells_.edges.back()))) return;
      cells_.edges.push_back(low);
    }
    cells_.code.push_back(code);
    weight_.push_back(rows);
  }

  const CutColumn& fine_;
  std::span<const Spike> spikes_;
  ColumnCells cells_;
  std::vector<double> weight_;
};

}  // namespace

namespace {

// The widest run of cells without any rows.
CellSpan widest_void(std::span<const double> below, CellSpan of) {
  CellSpan widest = {of.from, of.from};
  for (int first = of.from; first < of.to;) {
    int end = first;
    while (end < of.to && below[index(end) + 1] <= below[index(first)]) ++end;
    if (end - first > widest.to - widest.from) widest = {first, end};
    first = std::max(end, first + 1);
  }
  return widest;
}

// Cells of a piece: those without rows are not mixed with the others.
void put_piece(CellsOut& out, std::span<const double> below, CellSpan of, int code, int voids) {
  if (of.from == of.to) return;
  const CellSpan none = voids > 0 ? widest_void(below, of) : CellSpan{of.from, of.from};
  if (none.from == none.to) {
    return out.piece(of.from, of.to, below[index(of.to)] - below[index(of.from)], code);
  }
  put_piece(out, below, {of.from, none.from}, code, voids - 1);
  out.piece(none.from, none.to, 0, code);
  put_piece(out, below, {none.to, of.to}, code, voids - 1);
}

}  // namespace

CutColumn bin_column(const CutColumn& fine, const CellDistribution& rows,
                     std::span<const Spike> spikes, int bins, double noise) {
  const int count = fine.cells.cells() - 1;  // besides missing
  const std::vector<double> below = rows_below(rows);
  const auto inside = [&](int from, int to) {
    return below[static_cast<std::size_t>(to)] - below[static_cast<std::size_t>(from)];
  };
  const double target = std::max(below.back() / bins, 1e-9);
  CellsOut out(fine, spikes);
  int codes = 0;
  const auto add_bin = [&](int from, int to) {
    if (from == to) return;
    const double all = inside(from, to);
    const double visible = std::floor(all / (piece_noise * std::max(noise, 1e-9)));
    const int pieces =
        static_cast<int>(std::clamp<double>(visible, 1, std::min(most_pieces, to - from)));
    int start = from;
    for (int p = 1; p <= pieces; ++p) {
      int end = to;
      if (p < pieces) {  // the least that has its share, and leaves a cell for each that follows
        end = start + 1;
        while (end < to - (pieces - p) && inside(start, end) < all / pieces) ++end;
      }
      put_piece(out, below, {start, end}, codes, most_voids);
      start = end;
    }
    ++codes;
  };
  int start = 0;
  for (int i = 0; i < count; ++i) {
    if (inside(i, i + 1) >= target) {
      add_bin(start, i);
      add_bin(i, i + 1);
      start = i + 1;
    } else if (inside(start, i + 1) >= target) {
      add_bin(start, i + 1);
      start = i + 1;
    }
  }
  add_bin(start, count);
  return out.finish(codes);
}

}  // namespace dpmix
