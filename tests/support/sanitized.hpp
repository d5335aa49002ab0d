#pragma once

namespace upsweep::testing {

/// Whether a sanitizer watches: what proves numbers by many trials, and no other code than single ones, may then try few.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace upsweep::testing
