// Who is a neighbour of whom: the relation that every sensitivity and every guarantee is about.
#pragma once

#include <optional>
#include <string_view>

namespace dpmix {

enum class Adjacency {
  add_remove,  // one privacy unit present or absent
  replace,     // one unit's rows changed to others; the number of units is public
  label,       // the declared label of one row; every other column is public
};

constexpr std::string_view name(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add_remove:
      return "add_remove";
    case Adjacency::replace:
      return "replace";
    case Adjacency::label:
      return "label";
  }
  return "";
}

constexpr std::optional<Adjacency> adjacency_of(std::string_view text) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
    if (text == name(adjacency)) return adjacency;
  }
  return std::nullopt;
}

}  // namespace dpmix
