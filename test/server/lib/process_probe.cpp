// What passes between a caller and a release's process, garbled; and the pool of processes, as it
// is. For tests alone.
#include "pg/border/postgres.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "pg/border/build_id.hpp"
#include "pg/border/lingering.hpp"
#include "pg/border/row_type.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/ledger/well_formed.hpp"
#include "pg/process/order.hpp"
#include "pg/process/shipped_tables.hpp"
#include "pg/process/turns.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "storage/shmem.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(garble_rows);
PG_FUNCTION_INFO_V1(garble_types);
PG_FUNCTION_INFO_V1(garble_orders);
PG_FUNCTION_INFO_V1(garble_charges);
PG_FUNCTION_INFO_V1(no_slot);
PG_FUNCTION_INFO_V1(places_held);
PG_FUNCTION_INFO_V1(turn);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}
}

using namespace dpmix::pg;

namespace {

using Dice = std::minstd_rand;

// The bytes at the very end of what may be read: whoever reads on is killed.
struct Fence {
  char *begin, *end;
  explicit Fence(Size size) {
    const Size page = (Size)sysconf(_SC_PAGESIZE), room = (size / page + 1) * page;
    begin =
        (char*)mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    end = begin + room;
    mprotect(end, page, PROT_NONE);
  }
  char* place(const char* bytes, Size size) const {
    return (char*)memcpy(end - MAXALIGN(size), bytes, size);
  }
};

// One of the ways in which bytes go wrong; returns how many are left.
Size garbled(char* bytes, Size size, Dice& dice) {
  for (int k = (int)(dice() % 3); k >= 0; k--) {
    const Size at = dice() % Max(size, (Size)1);
    switch (dice() % 5) {
      case 0:
        size = at;
        break;
      case 1:
        bytes[at] = (char)dice();
        break;
      case 2:
        bytes[at] = (char)(bytes[at] ^ 1 << dice() % 8);
        break;
      case 3:
        memset(bytes + at, dice() % 2 != 0 ? 0xff : 0, Min((Size)4, size - at));
        break;
      default:
        memset(bytes + at, 0x7f, Min((Size)2, size - at));
    }
  }
  return size;
}

template <class Body>
bool fails(const Body& body) {
  return error_of(body) != NULL;
}

}  // namespace

extern "C" {

// garble_rows(row record, times int, seed int): how many of the garbled rows were refused. Those
// that were not are read, to their last byte.
Datum garble_rows(PG_FUNCTION_ARGS) {
  HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
  Dice dice((unsigned)PG_GETARG_INT32(2));
  TupleDesc type =
      lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
  HeapTupleData tuple = {};
  tuple.t_len = HeapTupleHeaderGetDatumLength(row);
  tuple.t_data = row;
#if PG_VERSION_NUM >= 180000
  const MinimalTuple sent = minimal_tuple_from_heap_tuple(&tuple, 0);
#else
  const MinimalTuple sent = minimal_tuple_from_heap_tuple(&tuple);
#endif
  const Size whole = sent->t_len;
  if (!row_fits(sent, whole, type)) elog(ERROR, "a good row is refused");
  const Fence fence(whole + 64);
  char* bytes = (char*)palloc(whole);
  Datum* values = (Datum*)palloc(sizeof(Datum) * (Size)type->natts);
  bool* nulls = (bool*)palloc((Size)type->natts);
  int refused = 0;
  volatile uint64 read = 0;
  for (int k = 0; k < PG_GETARG_INT32(1); k++) {
    memcpy(bytes, sent, whole);
    const Size size = garbled(bytes, whole, dice);
    if (dice() % 2 != 0 && size >= sizeof(uint32)) ((MinimalTuple)bytes)->t_len = (uint32)size;
    const MinimalTuple given = (MinimalTuple)fence.place(bytes, size);
    if (!row_fits(given, size, type)) {
      refused++;
      continue;
    }
    HeapTupleData seen = {};
    seen.t_len = (uint32)(size + MINIMAL_TUPLE_OFFSET);
    seen.t_data = (HeapTupleHeader)((char*)given - MINIMAL_TUPLE_OFFSET);
    heap_deform_tuple(&seen, type, values, nulls);
    for (int i = 0; i < type->natts; i++) {
      if (nulls[i] || TupleDescAttr(type, i)->attbyval) continue;
      const char* value = DatumGetPointer(values[i]);
      const int length = TupleDescAttr(type, i)->attlen;
      const Size bytes_of = length > 0     ? (Size)length
                            : length == -1 ? VARSIZE_ANY(value)
                                           : strlen(value) + 1;
      for (Size b = 0; b < bytes_of; b++) read = read + (unsigned char)value[b];
    }
  }
  PG_RETURN_INT32(refused);
}

// garble_types(row record, times int, seed int): how many garbled row types are not that of the
// row.
Datum garble_types(PG_FUNCTION_ARGS) {
  HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
  Dice dice((unsigned)PG_GETARG_INT32(2));
  TupleDesc type =
      lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
  StringInfoData sent;
  initStringInfo(&sent);
  put_row_type(&sent, type);
  if (!is_row_type(&sent, type)) elog(ERROR, "a type is not itself");
  const Fence fence((Size)sent.len + 64);
  int others = 0;
  for (int k = 0; k < PG_GETARG_INT32(1); k++) {
    char* bytes = (char*)memcpy(palloc((Size)sent.len), sent.data, (Size)sent.len);
    const int size = (int)garbled(bytes, (Size)sent.len, dice);
    StringInfoData given = {fence.place(bytes, (Size)size), size, size, 0};
    if (!is_row_type(&given, type)) others++;
    (void)fails([&] { (void)get_row_type(&given); });
  }
  PG_RETURN_INT32(others);
}

// A table of two columns that goes along with an order.
StringInfoData shipped_rows() {
  TupleDesc type = CreateTemplateTupleDesc(2);
  TupleDescInitEntry(type, 1, "id", INT4OID, -1, 0);
  TupleDescInitEntry(type, 2, "name", TEXTOID, -1, 0);
  StringInfoData rows, tables;
  initStringInfo(&rows);
  initStringInfo(&tables);
  put_row_type(&rows, type);
  for (int i = 0; i < 9; i++) {
    Datum values[] = {Int32GetDatum(i), CStringGetTextDatum("a name")};
    bool nulls[] = {false, i % 3 == 0};
    put_shipped_row(&rows, type, values, nulls);
  }
  ShippedTable table = {};
  table.relation = RelationRelationId;
  put_shipped_table(&tables, table, rows);
  return tables;
}

// garble_orders(times int, seed int): how many garbled orders were refused. In a transaction that
// is rolled back.
Datum garble_orders(PG_FUNCTION_ARGS) {
  Dice dice((unsigned)PG_GETARG_INT32(1));
  const StringInfoData tables = shipped_rows();
  StringInfo order = write_order(fcinfo, NULL, NULL, &tables);
  const Fence fence((Size)order->len + 64);
  int refused = 0;
  for (int k = 0; k < PG_GETARG_INT32(0); k++) {
    CHECK_FOR_INTERRUPTS();
    char* bytes = (char*)memcpy(palloc((Size)order->len), order->data, (Size)order->len);
    const Size size = garbled(bytes, (Size)order->len, dice);
    const char* given = fence.place(bytes, size);
    if (fails([&] { (void)read_order(given, size); })) refused++;
    pfree(bytes);
  }
  PG_RETURN_INT32(refused);
}

// garble_charges(times int, seed int): charges go to the ledger as garbled bytes. How many of them
// were answered, all of them by a refusal.
Datum garble_charges(PG_FUNCTION_ARGS) {
  Dice dice((unsigned)PG_GETARG_INT32(1));
  int answered = 0;
  for (int k = 0; k < PG_GETARG_INT32(0); k++) {
    ChargeOrder order;
    memset((void*)&order, 0, sizeof order);
    order.table.id = 1;
    order.epsilon = 1;
    strlcpy(order.kind, "query", sizeof order.kind);
    strlcpy(order.parameters, "{}", sizeof order.parameters);
    if (!is_well_formed(order)) elog(ERROR, "a good charge is refused");
    // What counts and chooses lies before the texts.
    (void)garbled((char*)&order + 1,
                  dice() % 2 != 0 ? offsetof(ChargeOrder, role) - 1 : sizeof order - 1, dice);
    order.table.id = -1;  // nobody's
    Ticket ticket;
    const Submission submission = submit_order(order, &ticket);
    if (!submission.submitted) elog(ERROR, "no slot is free");
    ChargeReply reply;
    while (collect_reply(ticket, &reply) != Progress::answered) {
      CHECK_FOR_INTERRUPTS();
      pg_usleep(1000);
    }
    if (reply.charge_id > 0) elog(ERROR, "a garbled charge was made");
    if (!is_well_formed(reply)) elog(ERROR, "a garbled reply");
    answered++;
  }
  PG_RETURN_INT32(answered);
}

// no_slot(): as if a slot for a background worker had been looked for in vain.
Datum no_slot(PG_FUNCTION_ARGS) {
  note_no_slot();
  PG_RETURN_VOID();
}

// places_held(): of the pool, in all databases: reserved or at work, or launched and never come.
Datum places_held(PG_FUNCTION_ARGS) {
  char name[48];
  const size_t prefix = strlcpy(name, "dpmix releases ", sizeof name);
  if (!build_id(name + prefix, sizeof name - prefix)) elog(ERROR, "no build id");
  bool found;
  Pool* pool = (Pool*)ShmemInitStruct(name, sizeof(Pool), &found);
  if (!found) elog(ERROR, "no pool");
  int held = 0;
  LWLockAcquire(&pool->lock, LW_SHARED);
  for (const SharedPlace& place : pool->places) {
    if (place.generation != 0 && (place.sequence != 0 || place.latch == NULL)) held++;
  }
  LWLockRelease(&pool->lock);
  PG_RETURN_INT32(held);
}

// turn(processes int, holders int[], waiters int[], role int): whether a free place is another
// role's.
Datum turn(PG_FUNCTION_ARGS) {
  static Pool pool;
  memset((void*)&pool, 0, sizeof pool);
  const TimestampTz now = GetCurrentTimestamp();
  const ArrayType *holders = PG_GETARG_ARRAYTYPE_P(1), *waiters = PG_GETARG_ARRAYTYPE_P(2);
  const int held = ArrayGetNItems(ARR_NDIM(holders), ARR_DIMS(holders));
  const int waiting = ArrayGetNItems(ARR_NDIM(waiters), ARR_DIMS(waiters));
  for (int i = 0; i < held; i++) {
    pool.places[i].generation = pool.places[i].sequence = (uint64)i + 1;
    pool.places[i].database = MyDatabaseId;
    pool.places[i].role = (Oid)((const int32*)ARR_DATA_PTR(holders))[i];
  }
  for (int i = 0; i < waiting; i++)
    note_wish(&pool, (Oid)((const int32*)ARR_DATA_PTR(waiters))[i], true, now);
  PG_RETURN_BOOL(is_others_turn(&pool, PG_GETARG_INT32(0), (Oid)PG_GETARG_INT32(3), now));
}
}
