// What draw does with regressions.
#include "pg/release/model_use.hpp"

#include "pg/regression/picture.hpp"

namespace dpmix::pg {
namespace {

const ModelUse kRegressions({.kind = "regression",
                             .draw =
                                 [](const FoundRelease& found, const DrawAsked& asked) {
                                   return regression_picture(found, asked.level);
                                 },
                             .draws_level = true});

}  // namespace
}  // namespace dpmix::pg
