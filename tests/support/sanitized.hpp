#pragma once

namespace upsweep::testing {

/// Whether a sanitizer watches: what proves numbers by many trials, which run no other code than one does, may try few.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace upsweep::testing
