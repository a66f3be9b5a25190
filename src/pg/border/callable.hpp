// A callable handed down to what calls it before it returns: by reference, in place of C's function
// and void* argument.
//
// What is called may leave by longjmp, so the callable owns nothing that has a destructor: a lambda
// captures by reference, and holds C++ objects only inside guard().
#pragma once

#include <type_traits>

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

template <class Signature>
class Callable;

template <class Result, class... Arguments>
class Callable<Result(Arguments...)> {
 public:
  template <class Body>
  requires(!std::is_same_v<Body, Callable>) Callable(const Body& body)
      : body_(const_cast<Body*>(&body)), call_([](void* called, Arguments... arguments) -> Result {
          return (*static_cast<const Body*>(called))(arguments...);
        }) {
    static_assert(std::is_trivially_destructible_v<Body>, "capture by reference");
  }
  Result operator()(Arguments... arguments) const { return call_(body_, arguments...); }

 private:
  void* body_;
  Result (*call_)(void* called, Arguments... arguments);
};

using Action = Callable<void()>;
// Receives one row, its columns deformed.
using RowReceiver = Callable<void(const Datum* values, const bool* nulls)>;

}  // namespace dpmix::pg
