// x within [low, high], without a branch: of noisy values a processor could only guess which way it
// goes, and std::clamp, min and max are compiled to branches where the ends are constants.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <algorithm>
#endif

namespace dpmix {

inline double clamped(double x, double low, double high) {  // x is not NaN
#ifdef __SSE2__
  const __m128d raised = _mm_max_sd(_mm_set_sd(x), _mm_set_sd(low));
  return _mm_cvtsd_f64(_mm_min_sd(raised, _mm_set_sd(high)));
#else
  return std::clamp(x, low, high);
#endif
}

}  // namespace dpmix
