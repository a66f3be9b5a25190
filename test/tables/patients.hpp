// People who are followed over time, and what is exactly true of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/survival/table.hpp"

namespace dpmix::test {

struct Patient {
  double time;
  int kind;  // of event; 0: censored
};

// Of whom nobody has an event of some kind sooner or later than others: by rates, and censored
// between two times.
struct Hospital {
  std::vector<double> rates = {.05, .03};
  double first = 5, last = 40;

  std::vector<Patient> patients(std::mt19937_64& random, int count) const {
    std::uniform_real_distribution<double> leaves(first, last);
    std::vector<Patient> all;
    for (int i = 0; i < count; ++i) {
      Patient patient = {leaves(random), 0};
      for (std::size_t kind = 0; kind < rates.size(); ++kind) {
        const double time = std::exponential_distribution<double>(rates[kind])(random);
        if (time < patient.time) patient = {time, static_cast<int>(kind) + 1};
      }
      all.push_back(patient);
    }
    return all;
  }
  double rate() const {
    double sum = 0;
    for (const double each : rates) sum += each;
    return sum;
  }
  double survival(double time) const { return std::exp(-rate() * time); }
  double incidence(int kind, double time) const {
    return rates[static_cast<std::size_t>(kind) - 1] / rate() * (1 - survival(time));
  }
  double mean_time(double time) const { return (1 - survival(time)) / rate(); }
};

inline SurvivalTable counted(const std::vector<Patient>& patients, int bins, int kinds,
                             double until) {
  SurvivalTable table;
  table.bins = bins;
  table.kinds = kinds;
  table.stddev = 1e-6;
  table.cell.assign(static_cast<std::size_t>((bins + 1) * (kinds + 1)), 0);
  for (const Patient& patient : patients) {
    const int bin = std::min(bins, static_cast<int>(std::max(patient.time, 0.0) / until * bins));
    ++table.cell[static_cast<std::size_t>(bin * (kinds + 1) + patient.kind)];
  }
  return table;
}

// By the people's very times, events before censorings of the same time; just before the end of
// each bin, or (at_begin) just after its begin.
struct ExactCurves {
  std::vector<double> survival, mean_time;
  std::vector<std::vector<double>> incidence;  // of each kind

  ExactCurves(std::vector<Patient> patients, int bins, int kinds, double until,
              bool at_begin = false)
      : incidence(static_cast<std::size_t>(kinds)) {
    std::ranges::sort(patients, [](const Patient& a, const Patient& b) {
      return a.time != b.time ? a.time < b.time : (a.kind > 0) > (b.kind > 0);
    });
    double left = 1, area = 0, at = 0;
    std::vector<double> had(incidence.size());
    std::size_t i = 0;
    for (int bin = 0; bin < bins; ++bin) {
      const double begin = until * bin / bins, end = until * (bin + 1) / bins;
      while (i < patients.size() &&
             (at_begin ? patients[i].time <= begin : patients[i].time < end)) {
        std::size_t same = i, events = 0;
        const double people = static_cast<double>(patients.size() - i);
        area += left * (patients[i].time - at);
        at = patients[i].time;
        for (; same < patients.size() && patients[same].time == at; ++same) {
          const int kind = patients[same].kind;
          if (kind == 0) continue;
          had[static_cast<std::size_t>(kind) - 1] += left / people;
          ++events;
        }
        left *= 1 - static_cast<double>(events) / people;
        i = same;
      }
      area += left * (end - at);
      at = end;
      survival.push_back(left);
      mean_time.push_back(area);
      for (std::size_t kind = 0; kind < had.size(); ++kind) incidence[kind].push_back(had[kind]);
    }
  }
};

}  // namespace dpmix::test
