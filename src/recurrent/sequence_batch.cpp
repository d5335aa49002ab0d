#include "upsweep/recurrent/sequence_batch.hpp"

#include <cmath>

#include "upsweep/network/random.hpp"

namespace upsweep {

template <class T>
SequenceBatch<T> random_batch(const CellWeights<T>& weights, std::size_t steps, std::size_t batch, std::uint64_t seed) {
  SequenceBatch<T> result{weights, steps, std::vector<T>(steps * batch * weights.shape.input),
                          std::vector<std::uint32_t>(batch)};
  const UniformStream inputs(seed, "inputs");
  const UniformStream labels(seed, "labels");
  const double spread = std::sqrt(12.0);  // a uniform number's variance is 1/12
  for (std::size_t i = 0; i < result.inputs.size(); ++i)
    result.inputs[i] = static_cast<T>(static_cast<float>(spread * (inputs(i) - 0.5)));
  const auto classes = static_cast<double>(weights.shape.classes);
  for (std::size_t b = 0; b < batch; ++b) result.labels[b] = static_cast<std::uint32_t>(classes * labels(b));
  return result;
}

template SequenceBatch<float> random_batch<float>(const CellWeights<float>&, std::size_t, std::size_t, std::uint64_t);
template SequenceBatch<double> random_batch<double>(const CellWeights<double>&, std::size_t, std::size_t,
                                                    std::uint64_t);

}  // namespace upsweep
