// What passes between a caller and the release process that works for it: one segment of shared
// memory with the order and two queues of fixed size, made by the caller before anything is
// charged.
//
// The process sends rows, notices, one error, questions that only the caller's session can answer
// (charge this; does your transaction hold that lock?), the end. The caller sends answers. Either
// side notices when the other is gone.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"
}

namespace dpmix::pg {

enum class Message : char {
  columns = 'T',  // the type of the rows that follow
  row = 'D',      // a MinimalTuple
  bytes = 'B',    // the result of a function that returns no rows
  notice = 'N',   // as PostgreSQL writes them
  error = 'E',
  question = 'Q',
  locking = 'L',  // the process holds the lock that the caller waits for
  end = 'Z',      // and whether what was released is kept: a bool
};

struct Channel {
  dsm_segment* segment;
  shm_mq_handle *in, *out;
  bool sending;  // or a message was cut short by an error
};

// Caller.
Channel* make_channel(StringInfo order);
// A message and its kind; false: none came within so many milliseconds. PV004 when the process is
// gone. Interruptible.
bool receive_message(Channel* channel, int milliseconds, Message* kind, StringInfo body);
void answer_question(Channel* channel, StringInfo answer);
void close_channel(Channel* channel);
[[noreturn]] void refuse_gone();    // PV004: the process is
[[noreturn]] void refuse_broken();  // PV004: it said what no process says

// Process.
Channel* open_channel(dsm_handle handle);
const char* order_in(const Channel* channel, Size* size);
// Call before each message, and end_message() after it. False: one was cut short; what came after
// it could not be told from its end, so the caller hears nothing more.
bool begin_message(Channel* channel);
void end_message(Channel* channel);
bool is_cut_short(const Channel* channel);
// Raises where the caller is gone.
void send_message(Channel* channel, Message kind, const void* body, Size size);
// The answer lasts until the next question.
StringInfoData ask_caller(Channel* channel, StringInfo question);

}  // namespace dpmix::pg
