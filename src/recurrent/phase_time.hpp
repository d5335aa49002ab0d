#pragma once

#include <algorithm>

#include "upsweep/recurrent/predict_pass.hpp"

namespace upsweep {

/// Seconds of a phase by what they are.
struct PhaseTime {
  double arithmetic = 0;
  double memory = 0;
  double latency = 0;

  [[nodiscard]] double total() const { return arithmetic + memory + latency; }
  [[nodiscard]] TimeBound bound() const {
    if (total() <= 0) return TimeBound::nothing;
    if (latency >= std::max(arithmetic, memory)) return TimeBound::latency;
    return memory > arithmetic ? TimeBound::memory : TimeBound::arithmetic;
  }
};

inline void add_to(PhaseTime& sum, const PhaseTime& more) {
  sum.arithmetic += more.arithmetic;
  sum.memory += more.memory;
  sum.latency += more.latency;
}

/// Of a scan.
struct ScanPhases {
  PhaseTime jacobians;
  PhaseTime up;
  PhaseTime middle;
  PhaseTime down;

  void write(PassPrediction& result) const {
    result.times = {jacobians.total(), up.total(), middle.total(), down.total()};
    result.bounds = {jacobians.bound(), up.bound(), middle.bound(), down.bound()};
  }
};

}  // namespace upsweep
