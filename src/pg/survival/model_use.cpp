// What draw does with survival curves.
#include "pg/release/model_use.hpp"

#include "pg/survival/picture.hpp"

namespace dpmix::pg {
namespace {

const ModelUse kSurvival({.kind = "survival",
                          .draw =
                              [](const FoundRelease& found, const DrawAsked& asked) {
                                return survival_picture(found, asked.level);
                              },
                          .draws_level = true});

}  // namespace
}  // namespace dpmix::pg
