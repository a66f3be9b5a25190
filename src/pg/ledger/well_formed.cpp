#include "pg/ledger/well_formed.hpp"

namespace dpmix::pg {
namespace {

template <Size size>
bool ends(const char (&text)[size]) {
  return memchr(text, '\0', size) != NULL;
}

bool is_truth(const bool& truth) {
  return *(const unsigned char*)&truth <= 1;
}

bool is_amount(double amount) {
  return amount >= 0;  // no NaN
}

bool has_blocks_in_order(const ChargeOrder& order) {
  if (order.block_count < 0 || order.block_count > kMostRanges) return false;
  for (int i = 0; i < order.block_count; i++) {
    if (order.blocks[i].first > order.blocks[i].last) return false;
    if (i > 0 && order.blocks[i].first <= order.blocks[i - 1].last) return false;
  }
  return true;
}

}  // namespace

bool is_well_formed(const ChargeOrder& order) {
  if (!is_truth(order.reads_no_block)) return false;
  if (!is_truth(order.barrier) || !is_truth(order.has_own) || !is_truth(order.own.lasting)) {
    return false;
  }
  if (order.others < 0 || order.others >= kMostTables || !has_blocks_in_order(order)) return false;
  if ((unsigned)order.adjacency > (unsigned)Adjacency::label) return false;
  if ((unsigned)order.accountant > (unsigned)Accountant::gaussian) return false;
  if (!is_amount(order.epsilon) || !is_amount(order.delta) || !is_amount(order.asked_epsilon)) {
    return false;
  }
  if (!is_amount(order.own.amount) || !is_amount(order.own.added_delta)) return false;
  return ends(order.role.data) && ends(order.kind) && ends(order.mechanism) &&
         ends(order.release) && ends(order.parameters);
}

bool is_well_formed(const ChargeReply& reply) {
  return reply.charge_id >= kSettled && ends(reply.message) && ends(reply.detail) &&
         ends(reply.hint);
}

}  // namespace dpmix::pg
