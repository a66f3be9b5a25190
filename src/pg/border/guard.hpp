// The border between C++ (exceptions, destructors) and PostgreSQL (ereport, longjmp). The only
// place where one becomes the other.
//
//   guard([&] { ...C++... })   from PostgreSQL into C++: whatever is thrown becomes an ereport,
//                              raised when the catch is over and every C++ object is gone.
//   postgres([&] { ...C... })  from C++ into PostgreSQL: an ereport becomes a C++ exception.
//                              The body holds no object with a destructor: longjmp skips them.
//
// An entry point has three phases: read Datums into plain values (PostgreSQL); compute (guard);
// build the result with palloc (PostgreSQL). Code outside guard() owns nothing that needs a
// destructor and may ereport freely; code inside guard() may throw freely and never calls
// PostgreSQL except through postgres().
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "core/base/error.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

constexpr int sqlstate(ErrorCode code) {
  return MAKE_SQLSTATE('P', 'V', '0', '0', '0' + static_cast<int>(code));
}

// Raises an error, outside guard(): what is wrong, what was asked (NULL: the message says it), what
// to do.
[[noreturn]] void refuse(int sqlstate, const char* message, const char* detail, const char* hint);
[[noreturn]] inline void refuse(ErrorCode code, const char* message, const char* detail,
                                const char* hint) {
  refuse(sqlstate(code), message, detail, hint);
}
// PV005. In guard() it is dpmix::refuse_parameter().
[[noreturn]] inline void refuse_argument(const char* message, const char* detail,
                                         const char* hint) {
  refuse(ErrorCode::invalid_parameter, message, detail, hint);
}

namespace detail {

struct PostgresError {
  ErrorData* data;
};

enum class Outcome { returned, postgres_error, cpp_error, out_of_memory };

struct Caught {  // trivially destructible: survives into the frame that raises
  Outcome outcome = Outcome::returned;
  ErrorData* data = nullptr;
  int code = 0;
  char message[512], detail[512], hint[512];
};

inline void keep_error(Caught& caught, const Error& error) noexcept {
  caught.outcome = Outcome::cpp_error;
  caught.code = sqlstate(error.code);
  strlcpy(caught.message, error.message.c_str(), sizeof caught.message);
  strlcpy(caught.detail, error.detail.c_str(), sizeof caught.detail);
  strlcpy(caught.hint, error.hint.c_str(), sizeof caught.hint);
}

inline void keep_error(Caught& caught, const char* what) noexcept {
  caught.outcome = Outcome::cpp_error;
  caught.code = ERRCODE_INTERNAL_ERROR;
  strlcpy(caught.message, what, sizeof caught.message);
  caught.detail[0] = caught.hint[0] = '\0';
}

[[noreturn]] void raise(const Caught& caught);  // guard.cpp

template <class Body, class Result>
void run(Body& body, Result* result, Caught& caught) noexcept {
  try {
    if constexpr (std::is_void_v<Result>) {
      body();
    } else {
      *result = body();
    }
  } catch (const PostgresError& error) {
    caught.outcome = Outcome::postgres_error;
    caught.data = error.data;
  } catch (const Error& error) {
    keep_error(caught, error);
  } catch (const std::bad_alloc&) {
    caught.outcome = Outcome::out_of_memory;
  } catch (const std::exception& error) {
    keep_error(caught, error.what());
  } catch (...) {
    keep_error(caught, "unknown C++ exception");
  }
}

}  // namespace detail

template <class Body>
auto guard(Body&& body) -> decltype(body()) {
  using Result = decltype(body());
  static_assert(std::is_trivially_destructible_v<std::remove_reference_t<Body>>,
                "capture by reference: the frame that raises must own nothing");
  detail::Caught caught;
  if constexpr (std::is_void_v<Result>) {
    detail::run<std::remove_reference_t<Body>, void>(body, nullptr, caught);
    if (unlikely(caught.outcome != detail::Outcome::returned)) detail::raise(caught);
  } else {
    static_assert(std::is_trivially_copyable_v<Result>, "return plain values");
    Result result{};
    detail::run(body, &result, caught);
    if (unlikely(caught.outcome != detail::Outcome::returned)) detail::raise(caught);
    return result;
  }
}

template <class Body>
void postgres(Body&& body) {
  MemoryContext context = CurrentMemoryContext;
  ErrorData* volatile error = nullptr;
  PG_TRY();
  { body(); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    error = CopyErrorData();
    FlushErrorState();
  }
  PG_END_TRY();
  if (error != nullptr) throw detail::PostgresError{error};
}

}  // namespace dpmix::pg
