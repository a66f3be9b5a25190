// What a charge leaves for outsiders: lines of key=value, each receipt with the hash of the one
// before it on the same account. No exact number about rows and no word of the question is in it:
// of that there is a commitment, which whoever sees the charge can open. docs/proofs/ledger.md.
#pragma once

#include <array>

#include "pg/ledger/request_slots.hpp"

extern "C" {
#include "utils/jsonb.h"
}

namespace dpmix::pg {

struct ChargeCost {  // decimals
  const char *epsilon, *delta, *amount, *added_delta;
};

using ReceiptHash = std::array<char, 65>;  // SHA-256 in hex, as sha256sum prints it

struct ReceiptChain {  // of an account
  ReceiptHash head;    // the hash of its newest receipt; "none" before the first
  char version[16];    // of the extension
};

// Reads them. In the memory of SPI's caller.
ReceiptChain read_receipt_chain(int64 account);

constexpr int kSaltBytes = 16;

struct Receipt {
  // sha256(salt and parameters as text, in the encoding of the database) is the line "statement".
  bytea* salt;
  text* lines;  // without the last line's end, which psql adds
  ReceiptHash hash;
};

// blocks: as dpmix.charge has them; NULL: none.
Receipt receipt_of(const ChargeOrder& order, const ChargeCost& cost, int64 id, TimestampTz at,
                   int64 account, const ReceiptChain& chain, const char* blocks, Jsonb* parameters);

}  // namespace dpmix::pg
