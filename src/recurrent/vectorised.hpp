#pragma once

// One binary runs everywhere and uses wide vectors where there are some: the loader picks a version per function.
// Sanitizer builds go without, since they cannot run before the loader has. All versions add in the same order, and
// nothing is contracted, so that they agree to the last bit.
#if defined(UPSWEEP_VECTOR_CLONES)
#define UPSWEEP_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define UPSWEEP_VECTORISED
#endif
