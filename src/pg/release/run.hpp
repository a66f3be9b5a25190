// The order of a release (docs/proofs/silence.md, docs/architecture.md), in its caller: check and
// price; take the name of what is stored; reserve a process, hand the call over, submit its charge,
// receive; store. The process calls the same function, checks and prices again, and goes on in
// passes.hpp.
//
//   struct TreeKind {
//     using Call = ...;                             // arguments, as they are checked
//     using Plan = ...;                             // what is known of the mechanism, priced
//     static Call read(fcinfo);
//     static Plan plan(call);
//     static Terms terms(call, plan);
//     static ModelRecord record(call, plan, made);
//     static Datum summary(fcinfo, call, plan, made);
//   };
//
// Called with a preview as its context, a release tells what it would take, and ends there.
#pragma once

#include <type_traits>

#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/release/made_model.hpp"
#include "pg/release/passes.hpp"
#include "pg/release/preview.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

class Runner {
 public:
  // A model that is stored. make: the half of the kind that runs in the process.
  template <class Kind>
  static Datum model(FunctionCallInfo fcinfo,
                     MadeModel (*make)(const InProcess&, const typename Kind::Call&,
                                       const typename Kind::Plan&)) {
    // Errors of PostgreSQL pass by them without destructors.
    static_assert(std::is_trivially_destructible_v<typename Kind::Call>);
    static_assert(std::is_trivially_destructible_v<typename Kind::Plan>);
    if (Preview* preview = preview_asked(fcinfo)) return answer<Kind>(fcinfo, preview);
    const auto call = Kind::read(fcinfo);
    const auto plan = Kind::plan(call);
    if (in_release_process()) return return_model(make(InProcess(), call, plan));
    const Terms terms = Kind::terms(call, plan);
    const MadeModel made = take_model(fcinfo, terms);
    store_model(terms, made, Kind::record(call, plan, made));
    return Kind::summary(fcinfo, call, plan, made);
  }

  // Rows that nobody stores. put: that half; `rows` of the call are where they go.
  template <class Kind>
  static Datum rows(FunctionCallInfo fcinfo,
                    void (*put)(const InProcess&, const typename Kind::Call&)) {
    if (Preview* preview = preview_asked(fcinfo)) return answer<Kind>(fcinfo, preview);
    const auto call = Kind::read(fcinfo);
    if (!in_release_process()) return release_rows(fcinfo, Kind::rows(call));
    put(InProcess(), call);
    return (Datum)0;
  }

  // The same, of a call of which the caller reads more than its arguments, with rights of its own.
  template <class Kind>
  static Datum attached_rows(FunctionCallInfo fcinfo,
                             void (*put)(const InProcess&, const typename Kind::Call&)) {
    if (Preview* preview = preview_asked(fcinfo)) return answer<Kind>(fcinfo, preview);
    StringInfoData attachment;
    if (in_release_process()) {
      attachment = order_attachment();
      put(InProcess(), Kind::receive(fcinfo, &attachment));
      return (Datum)0;
    }
    const auto call = Kind::read(fcinfo);
    initStringInfo(&attachment);
    Kind::attach(&attachment, call);
    return release_rows(fcinfo, Kind::rows(call), &attachment);
  }

  // What is neither: make() says a number, which receive_number() receives in ask().
  static Datum number(FunctionCallInfo fcinfo, int32 (*make)(const InProcess&, FunctionCallInfo),
                      Datum (*ask)(FunctionCallInfo));
  static int32 receive_number(FunctionCallInfo fcinfo);

 private:
  // Answers with a preview in place of a release. A kind whose preview is not that of its terms has
  // one of its own.
  template <class Kind>
  static Datum answer(FunctionCallInfo fcinfo, Preview* preview) {
    if constexpr (requires { Kind::preview(fcinfo, preview); }) {
      Kind::preview(fcinfo, preview);
    } else {
      preview_of<Kind>(preview, Kind::read(fcinfo));
    }
    return (Datum)0;
  }
  static Datum return_model(const MadeModel& model);
  // Takes the name, and receives what the process has made.
  static MadeModel take_model(FunctionCallInfo fcinfo, const Terms& terms);
};

}  // namespace dpmix::pg
