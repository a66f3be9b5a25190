#include "pg/process/channel.hpp"

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"

extern "C" {
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/wait_event.h"
}

namespace dpmix::pg {
namespace {

constexpr Size kIn = 16 * 1024, kOut = 64 * 1024;  // sizes of the queues, from the process's side

struct Header {
  Size order;  // bytes, behind the queues
};

constexpr Size kHeader = MAXALIGN(sizeof(Header));
constexpr Size kBefore = kHeader + kIn + kOut;  // the order

char* base_of(const Channel* channel) {
  return (char*)dsm_segment_address(channel->segment);
}

[[noreturn]] void raise_caller_gone() {
  ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("the caller of the release is gone")));
}

}  // namespace

void refuse_gone() {
  refuse(ErrorCode::ledger_unavailable, "the process that made the release is gone",
         "If it was charged, the charge stands; nothing was released.",
         "Look at dpmix.ledger, then try again.");
}

void refuse_broken() {
  refuse(ErrorCode::ledger_unavailable, "the process that made the release cannot be understood",
         "If it was charged, the charge stands; nothing was released.",
         "Another build of dpmix may be at work: end its processes, then try again.");
}

Channel* make_channel(StringInfo order) {
  Channel* channel = (Channel*)palloc0(sizeof(Channel));
  channel->segment = dsm_create(kBefore + (Size)order->len, 0);
  char* base = base_of(channel);
  *(Header*)base = {(Size)order->len};
  shm_mq* in = shm_mq_create(base + kHeader, kIn);
  shm_mq* out = shm_mq_create(base + kHeader + kIn, kOut);
  memcpy(base + kBefore, order->data, order->len);
  shm_mq_set_sender(in, MyProc);
  shm_mq_set_receiver(out, MyProc);
  channel->out = shm_mq_attach(in, channel->segment, NULL);
  channel->in = shm_mq_attach(out, channel->segment, NULL);
  return channel;
}

bool receive_message(Channel* channel, int milliseconds, Message* kind, StringInfo body) {
  instr_time begun;
  INSTR_TIME_SET_CURRENT(begun);
  for (;;) {
    Size size;
    void* data;
    switch (shm_mq_receive(channel->in, &size, &data, true)) {
      case SHM_MQ_SUCCESS:
        if (size == 0) refuse_gone();
        *kind = (Message) * (char*)data;
        resetStringInfo(body);
        appendBinaryStringInfo(body, (char*)data + 1, (int)size - 1);
        return true;
      case SHM_MQ_DETACHED:
        refuse_gone();
      case SHM_MQ_WOULD_BLOCK:
        break;
    }
    instr_time since;  // latches are set by others, too, as often as they like
    INSTR_TIME_SET_CURRENT(since);
    INSTR_TIME_SUBTRACT(since, begun);
    const long left = milliseconds - (long)INSTR_TIME_GET_MILLISEC(since);
    if (left <= 0) return false;
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left,
                    PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
}

void answer_question(Channel* channel, StringInfo answer) {
  if (shm_mq_send(channel->out, (Size)answer->len, answer->data, false, true) != SHM_MQ_SUCCESS) {
    refuse_gone();
  }
}

void close_channel(Channel* channel) {
  dsm_detach(channel->segment);
}

Channel* open_channel(dsm_handle handle) {
  Channel* channel = (Channel*)palloc0(sizeof(Channel));
  channel->segment = dsm_attach(handle);
  if (channel->segment == NULL) return NULL;  // the caller left
  const Size size = dsm_segment_map_length(channel->segment);
  char* base = base_of(channel);
  if (size < kBefore || ((Header*)base)->order > size - kBefore) {
    elog(ERROR, "an order that is cut short");
  }
  shm_mq* in = (shm_mq*)(base + kHeader);
  shm_mq* out = (shm_mq*)(base + kHeader + kIn);
  shm_mq_set_receiver(in, MyProc);
  shm_mq_set_sender(out, MyProc);
  channel->in = shm_mq_attach(in, channel->segment, NULL);
  channel->out = shm_mq_attach(out, channel->segment, NULL);
  return channel;
}

const char* order_in(const Channel* channel, Size* size) {
  *size = ((Header*)base_of(channel))->order;
  return base_of(channel) + kBefore;
}

bool begin_message(Channel* channel) {
  if (channel->sending && channel->out != NULL) {
    shm_mq_detach(channel->out);
    channel->out = NULL;
  }
  channel->sending = true;
  return channel->out != NULL;
}

void end_message(Channel* channel) {
  channel->sending = false;
}

bool is_cut_short(const Channel* channel) {
  return channel->sending;
}

void send_message(Channel* channel, Message kind, const void* body, Size size) {
  if (!begin_message(channel)) raise_caller_gone();
  char first = (char)kind;
  const char* bytes = (const char*)body;
  DPMIX_GARBLE("release.message", &first, &bytes, &size);
  shm_mq_iovec parts[] = {{&first, 1}, {bytes, size}};
  const bool flush = kind != Message::row;
  const shm_mq_result sent = shm_mq_sendv(channel->out, parts, size > 0 ? 2 : 1, false, flush);
  end_message(channel);
  if (sent != SHM_MQ_SUCCESS) raise_caller_gone();
}

StringInfoData ask_caller(Channel* channel, StringInfo question) {
  send_message(channel, Message::question, question->data, (Size)question->len);
  Size size;
  void* data;
  if (shm_mq_receive(channel->in, &size, &data, false) != SHM_MQ_SUCCESS) raise_caller_gone();
  return {(char*)data, (int)size, (int)size, 0};
}

}  // namespace dpmix::pg
