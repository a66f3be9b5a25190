// What PostgreSQL raises in a statement whose answers came and are kept says so: they are paid, and
// the statement that is put right has them free.
#pragma once

namespace dpmix::pg {

void kept_answers_init();  // called by _PG_init

// An answer came, to the statement at hand. kept: the same call is free from now on.
void note_answer(bool kept);

}  // namespace dpmix::pg
