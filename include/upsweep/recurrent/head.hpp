#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/recurrent/cell.hpp"

namespace upsweep {

/// Loss of a batch and its gradients at the head.
template <class T>
struct HeadResult {
  double loss = 0;                 ///< softmax cross-entropy, mean over the batch
  std::size_t correct = 0;         ///< samples whose largest logit (the first of equals) is that of the label
  std::vector<T> logits;           ///< [b][classes]
  std::vector<T> logits_gradient;  ///< [b][classes]: (softmax - one_hot) / batch
  std::vector<T> hidden_gradient;  ///< [b][hidden]: g_T, the gradient with respect to h_T
};

/// The head on the last hidden states, its loss, and where back-propagation starts.
///
/// Shapes: `last_hidden` [b][hidden], `labels` one per sample. Throws std::invalid_argument for wrong lengths, no
/// samples, or a label >= classes. Softmax and loss are computed in double precision and rounded once.
template <class T>
[[nodiscard]] HeadResult<T> run_head(const CellWeights<T>& weights, std::span<const T> last_hidden,
                                     std::span<const std::uint32_t> labels);

}  // namespace upsweep
