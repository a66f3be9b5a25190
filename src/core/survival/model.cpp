#include "core/survival/model.hpp"

#include <cmath>

#include "core/base/packed_reader.hpp"

namespace dpmix {
namespace {

constexpr int kVersion = 1;
constexpr PackedReader::Refusal kRefusal = {
    "invalid survival curves", "They are not as dpmix packs them.", "Release them again."};

}  // namespace

std::vector<double> SurvivalModel::pack() const {
  const SurvivalTable& one = groups.front();
  std::vector<double> packed = {kVersion,
                                until,
                                one.stddev,
                                one.one_time ? 1.0 : 0.0,
                                static_cast<double>(one.bins),
                                static_cast<double>(one.kinds),
                                static_cast<double>(groups.size())};
  for (const SurvivalTable& group : groups) {
    packed.insert(packed.end(), group.cell.begin(), group.cell.end());
  }
  return packed;
}

SurvivalModel SurvivalModel::unpack(std::span<const double> packed) {
  PackedReader reader(packed, kRefusal);
  (void)reader.whole(kVersion, kVersion);
  SurvivalModel model;
  model.until = reader.number();
  SurvivalTable table;
  table.stddev = reader.number();
  reader.require(model.until > 0 && table.stddev > 0);
  table.one_time = reader.whole(0, 1) == 1;
  table.bins = reader.whole(1, kMostSurvivalBins);
  table.kinds = reader.whole(1, kMostEventKinds);
  const auto groups = static_cast<std::size_t>(reader.whole(1, kMostSurvivalGroups));
  for (std::size_t i = 0; i < groups; ++i) {
    table.cell = reader.numbers(static_cast<std::size_t>((table.bins + 1) * (table.kinds + 1)));
    for (const double count : table.cell) reader.require(std::isfinite(count));
    model.groups.push_back(table);
  }
  reader.end();
  return model;
}

}  // namespace dpmix
