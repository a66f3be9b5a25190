// Cancellation inside long computations. Core calls poll() at least every 10 ms of work; the host
// (pg/module.cpp) installs a hook that throws when the user has asked to stop.
#pragma once

namespace dpmix {

inline void (*poll_hook)() = nullptr;

inline void poll() {
  if (poll_hook != nullptr) poll_hook();
}

}  // namespace dpmix
