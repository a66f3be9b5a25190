#include "core/query/unit_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace dpmix {
namespace {

using Rows = std::vector<std::pair<std::uint32_t, std::string>>;

std::vector<std::vector<std::string>> held(const Rows& rows, std::uint32_t units,
                                           std::uint32_t most) {
  UnitRows store(most);
  for (const auto& [unit, row] : rows) store.add(unit, std::as_bytes(std::span(row)));
  store.put_together(units);
  std::vector<std::vector<std::string>> out(units);
  for (std::uint32_t unit = 0; unit < units; unit++) {
    for (const auto& row : store.of(unit)) out[unit].emplace_back((const char*)row.data, row.size);
  }
  return out;
}

// By size, then by bytes: what the class does in a way of its own.
std::vector<std::vector<std::string>> wanted(const Rows& rows, std::uint32_t units,
                                             std::uint32_t most) {
  std::vector<std::vector<std::string>> out(units);
  for (const auto& [unit, row] : rows) out[unit].push_back(row);
  for (auto& of : out) {
    std::sort(of.begin(), of.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    of.resize(std::min<std::size_t>(of.size(), most));
  }
  return out;
}

Rows random_rows(std::mt19937_64& random, std::uint32_t units, int count, int letters) {
  Rows rows;
  for (int i = 0; i < count; i++) {
    std::string row(random() % 20, 'a');
    for (char& c : row) c = (char)('a' + random() % letters);
    const auto unit = (std::uint32_t)(random() % 3 == 0 ? 0 : random() % units);  // one has many
    rows.emplace_back(unit, row);
  }
  return rows;
}

TEST(UnitRows, AreThoseOfAUnitInTheOrderOfTheirBytes) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; trial++) {
    const std::uint32_t units = 1 + random() % 9, most = 1 + random() % 40;
    const int letters = 1 + (int)(random() % 3);  // 1: many equal rows
    const Rows rows = random_rows(random, units, (int)(random() % 400), letters);
    EXPECT_EQ(held(rows, units, most), wanted(rows, units, most));
  }
}

TEST(UnitRows, DoNotDependOnTheOrderInWhichTheyCame) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 100; trial++) {
    Rows rows = random_rows(random, 5, 500, 2);
    const auto before = held(rows, 5, 7);
    std::shuffle(rows.begin(), rows.end(), random);
    EXPECT_EQ(held(rows, 5, 7), before);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(held(rows, 5, 7), before);
    std::reverse(rows.begin(), rows.end());
    EXPECT_EQ(held(rows, 5, 7), before);
  }
}

TEST(UnitRows, UnitsThatNeverCameHaveNone) {
  UnitRows store(3);
  store.put_together(4);
  for (std::uint32_t unit = 0; unit < 6; unit++) EXPECT_TRUE(store.of(unit).empty());
}

TEST(UnitRows, AreAligned) {
  UnitRows store(100);
  const std::string row = "abc";
  for (int i = 0; i < 50; i++) store.add(0, std::as_bytes(std::span(row).first(i % 3 + 1)));
  store.put_together(1);
  for (const auto& kept : store.of(0)) EXPECT_EQ((std::uintptr_t)kept.data % 8, 0);
}

}  // namespace
}  // namespace dpmix
