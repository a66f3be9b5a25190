// A picture of survival curves: a line for each group, with its band behind it, as a standalone SVG
// document in ASCII. Post-processing.
#pragma once

#include <string>
#include <vector>

namespace dpmix {

struct SurvivalPicture {
  struct Point {
    double time;                   // where the curve gets there
    double left;                   // the share that is left, 0 to 1
    double noise_low, noise_high;  // drawn darker
    double low, high;
  };
  struct Curve {
    std::string name;           // UTF-8, or any bytes; empty: everybody
    std::vector<Point> points;  // in order of time
  };
  std::string release, time, event, by;  // likewise; by empty: one curve
  double until = 1;                      // the axis begins at 0
  std::vector<Curve> curves;
};

// Draws at most 6 curves, each in a colour of its own; a note counts the others. A curve goes down
// in steps, and its line ends where it is no longer known.
std::string draw_survival(const SurvivalPicture& picture);

}  // namespace dpmix
