#include "core/regression/design.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr std::size_t term_numbers = 6, head_numbers = 3;

double place(double x, double lower, double upper) {
  const double half = upper / 2 - lower / 2;
  return std::clamp((std::clamp(x, lower, upper) - (lower / 2 + upper / 2)) / half, -1., 1.);
}

// Coordinates of corner j of the regular simplex with k corners on the unit sphere.
void corner(int k, int j, double* out) {
  double height = 1;
  for (int i = 0; i + 1 < k; ++i) {
    const double others = k - 1 - i;
    out[i] = j < i ? 0 : j == i ? height : -height / others;
    height *= std::sqrt(1 - 1 / (others * others));
  }
}

double chebyshev(int power, double u) {
  double before = 1, now = u;
  for (int k = 1; k < power; ++k) {
    const double next = 2 * u * now - before;
    before = now;
    now = next;
  }
  return std::clamp(now, -1., 1.);
}

// Coefficients of T_power((x - centre) / half) by powers of x.
std::vector<double> chebyshev_of(int power, double centre, double half) {
  std::vector<double> before{1}, now{-centre / half, 1 / half};
  for (int k = 1; k < power; ++k) {
    std::vector<double> next(now.size() + 1, 0);
    for (std::size_t m = 0; m < now.size(); ++m) {
      next[m] -= 2 * centre / half * now[m];
      next[m + 1] += 2 / half * now[m];
    }
    for (std::size_t m = 0; m < before.size(); ++m) next[m] -= before[m];
    before = std::move(now);
    now = std::move(next);
  }
  return now;
}

int width(const DesignTerm& term) {
  return term.kind == TermKind::category ? term.categories - 1 : 1;
}

void check_bounds(double lower, double upper) {
  const double half = upper / 2 - lower / 2;
  if (half >= 1e-100 && half <= 1e100 && std::fabs(lower / 2 + upper / 2) <= 1e100) return;
  refuse_parameter(
      "bounds unfit for a regression",
      "Those of a term or of the target are closer than 1e-100, or farther than 1e100.",
      "Ask the owner for bounds of the column's real range.");
}

}  // namespace

void Design::check() const {
  check_bounds(target_lower, target_upper);
  int columns = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const DesignTerm& term = terms[i];
    if (term.kind == TermKind::number) check_bounds(term.lower, term.upper);
    const auto lower_power = [&](int power) {
      return std::any_of(
          terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(i), [&](const DesignTerm& t) {
            return t.kind == TermKind::power && t.base == term.base && t.power == power;
          });
    };
    bool good = term.kind != TermKind::category || term.categories >= 1;
    if (term.kind == TermKind::power) {
      good = term.power >= 2 && term.power <= most_power && term.base >= 0 &&
             term.base < static_cast<int>(i) &&
             terms[static_cast<std::size_t>(term.base)].kind == TermKind::number;
      for (int power = 2; good && power < term.power; ++power) good = lower_power(power);
    }
    if (!good) refuse_parameter("invalid term of a regression", "", "Name it differently.");
    columns += std::max(width(term), 0);
    if (columns > most_columns) break;
  }
  if (columns > most_columns) {
    refuse_parameter("the regression has too many coefficients",
                     "Its terms have more than " + std::to_string(most_columns) +
                         " columns: one each, of categories one for each but the first.",
                     "Name fewer terms, or columns with fewer categories.");
  }
}

int Design::inputs() const {
  return 1 + static_cast<int>(std::count_if(terms.begin(), terms.end(), [](const DesignTerm& t) {
           return t.kind != TermKind::power;
         }));
}

int Design::columns() const {
  int columns = 0;
  for (const DesignTerm& term : terms) columns += width(term);
  return columns;
}

bool Design::code(const double* x, double* z) const {
  const double* input = x;
  const double* const first = z;
  int at[MomentFrame::max_features];  // the column of each term
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const DesignTerm& term = terms[i];
    at[i] = static_cast<int>(z - first);
    if (term.kind == TermKind::power) {
      *z++ = chebyshev(term.power, first[at[term.base]]);
      continue;
    }
    const double value = *input++;
    if (term.kind == TermKind::number) {
      if (std::isnan(value)) return false;
      *z++ = place(value, term.lower, term.upper);
      continue;
    }
    if (!(value >= 0 && value < term.categories)) return false;
    corner(term.categories, static_cast<int>(value), z);
    z += width(term);
  }
  const bool missing = std::isnan(*input);
  if (missing && !keeps_missing_target) return false;
  *z = missing ? 0 : place(*input, target_lower, target_upper);
  return true;
}

Matrix Design::map() const {
  const int p = 1 + columns();
  Matrix map = Matrix::Zero(p, p);
  map(0, 0) = 1;
  std::vector<int> at;  // the column of each term
  int column = 1;
  for (const DesignTerm& term : terms) {
    at.push_back(column);
    if (term.kind == TermKind::category) {
      std::vector<double> reference(static_cast<std::size_t>(term.categories)),
          other(reference.size());
      corner(term.categories, 0, reference.data());
      for (int i = 0; i < width(term); ++i) {
        map(column + i, 0) = reference[static_cast<std::size_t>(i)];
      }
      for (int j = 1; j < term.categories; ++j) {
        corner(term.categories, j, other.data());
        for (int i = 0; i < width(term); ++i) {
          const auto n = static_cast<std::size_t>(i);
          map(column + i, column + j - 1) = other[n] - reference[n];
        }
      }
    } else {
      const bool power = term.kind == TermKind::power;
      const DesignTerm& base = power ? terms[static_cast<std::size_t>(term.base)] : term;
      const std::vector<double> of_powers = chebyshev_of(
          power ? term.power : 1, base.lower / 2 + base.upper / 2, base.upper / 2 - base.lower / 2);
      map(column, 0) = of_powers[0];
      map(column, power ? at[static_cast<std::size_t>(term.base)] : column) = of_powers[1];
      for (std::size_t i = 0; i < at.size() && power; ++i) {
        const DesignTerm& other = terms[i];
        const bool same = other.kind == TermKind::power && other.base == term.base;
        if (same && other.power <= term.power) {
          map(column, at[i]) = of_powers[static_cast<std::size_t>(other.power)];
        }
      }
    }
    column += width(term);
  }
  return map;
}

MomentFrame Design::frame(int classes) const {
  MomentFrame frame;
  const auto d = static_cast<std::size_t>(columns()) + 1;
  if (classes > MomentFrame::max_classes ||
      classes * static_cast<double>(d * (d + 1) / 2) > MomentFrame::max_products) {
    refuse_parameter("the regression is too large",
                     std::to_string(classes) + " classes of " + std::to_string(d) +
                         " columns need more than 2^20 second moments.",
                     "Name fewer terms, or a label with fewer categories.");
  }
  frame.features = static_cast<int>(d);
  frame.diagonal = true;
  frame.lower.assign(d, -1);
  frame.upper.assign(d, 1);
  const MomentFrame::Class seen{std::sqrt(norm2() + 1) * (1 + 0x1p-30), std::vector<double>(d, 0),
                                std::vector<double>(d, 1)};
  frame.classes.assign(static_cast<std::size_t>(classes), seen);
  frame.check();
  return frame;
}

std::vector<double> Design::pack() const {
  std::vector<double> packed{target_lower, target_upper, keeps_missing_target ? 1. : 0.};
  for (const DesignTerm& t : terms) {
    packed.insert(packed.end(),
                  {static_cast<double>(t.kind), t.lower, t.upper, static_cast<double>(t.categories),
                   static_cast<double>(t.base), static_cast<double>(t.power)});
  }
  return packed;
}

Design Design::unpack(std::span<const double> packed) {
  const auto small = [](double x) { return x >= 0 && x <= 1e6 && x == std::floor(x); };
  bool good = packed.size() >= head_numbers && (packed.size() - head_numbers) % term_numbers == 0 &&
              packed.size() <= head_numbers + term_numbers * most_columns &&
              (packed[2] == 0 || packed[2] == 1);
  Design design;
  for (std::size_t at = head_numbers; good && at < packed.size(); at += term_numbers) {
    const double* n = packed.data() + at;
    good = small(n[0]) && n[0] <= 2 && small(n[3]) && small(n[4]) && small(n[5]);
    if (!good) break;
    design.terms.push_back({static_cast<TermKind>(static_cast<int>(n[0])), n[1], n[2],
                            static_cast<int>(n[3]), static_cast<int>(n[4]),
                            static_cast<int>(n[5])});
  }
  if (!good) {
    refuse_parameter("invalid design of a regression", "It is not as dpmix packs it.",
                     "Leave it to dpmix.release_regression.");
  }
  design.target_lower = packed[0];
  design.target_upper = packed[1];
  design.keeps_missing_target = packed[2] != 0;
  design.check();
  return design;
}

}  // namespace dpmix
