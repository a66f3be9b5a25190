#include "pg/process/question.hpp"

namespace dpmix::pg {
namespace {

Answerer answerers[128];

}  // namespace

void answer_in_caller(Question kind, Answerer answerer) {
  answerers[(int)kind] = answerer;
}

Answerer answerer_of(char kind) {
  const auto place = (unsigned char)kind;
  return place < lengthof(answerers) ? answerers[place] : NULL;
}

}  // namespace dpmix::pg
