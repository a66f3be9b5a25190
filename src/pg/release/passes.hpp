// The half of a release that runs in its process, in its one order: plan the scans, charge, then
// passes and noise. A kind says what is its own:
//
//   struct TreeHalf {
//     static Scans plan_scans(call, plan);          // whatever planning a scan refuses
//     static const char* parameters(call, plan);    // that the ledger keeps: a JSON object
//     static Cost cost_at(call, epsilon);           // of the same call, inside guard()
//     static Made make(charged, call, plan, scans);
//   };
#pragma once

#include "pg/release/terms.hpp"

namespace dpmix::pg {

// Shows that code runs in the process of a release. Only the runner (run.hpp) makes one: whoever is
// handed it may read rows, and the caller's half of a kind never has one.
class InProcess {
  friend class Runner;
  InProcess() {}
};

// Shows that the release is charged.
class Charged {
 public:
  int64 id() const { return id_; }

 private:
  friend Charged charge_release(const InProcess&, const Terms&, const char*, const Repricing*);
  explicit Charged(int64 id) : id_(id) {}
  int64 id_;
};

// again: what another epsilon would be charged; NULL: the hint of a refusal does not say.
Charged charge_release(const InProcess& process, const Terms& terms, const char* parameters,
                       const Repricing* again);

template <class Half, class Call, class Plan>
auto make_charged(const InProcess& process, const Terms& terms, const Call& call,
                  const Plan& plan) {
  const auto scans = Half::plan_scans(call, plan);
  const auto charge_at = [&](const Filter& filter, double epsilon) {
    return filter.charge_of(epsilon, terms.delta, Half::cost_at(call, epsilon));
  };
  const Repricing again = {terms.epsilon, terms.delta, charge_at};
  return Half::make(charge_release(process, terms, Half::parameters(call, plan), &again), call,
                    plan, scans);
}

}  // namespace dpmix::pg
