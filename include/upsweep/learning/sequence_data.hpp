#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace upsweep {

/// What a set of labelled sequences consists of; all at least 1.
struct SequenceShape {
  std::size_t samples = 1;
  std::size_t steps = 1;    ///< T
  std::size_t input = 1;    ///< elements of x_t
  std::size_t classes = 1;  ///< labels are below

  friend bool operator==(const SequenceShape&, const SequenceShape&) = default;
};

/// Labelled sequences for a recurrent network: either stored, or made when they are asked for.
///
/// Sequences that are made depend on their seed and number alone, not on those before them, and are the same on every
/// machine. Threads may read one object at the same time.
class SequenceData {
 public:
  /// The bit-stream task with any number of classes: x_t ~ Bernoulli((c + 1/2) / classes), for 10 classes
  /// 0.05 + 0.1 c; the class is random, too. A shorter sequence is the beginning of a longer one.
  /// Throws std::invalid_argument for extents of 0 or input other than 1.
  /// Source: Wang, "BPPSA" (thesis, 2020), section 4.1.
  static SequenceData bitstream(const SequenceShape& shape, std::uint64_t seed);

  /// Every coefficient is a triangle wave with noise, its frequency (up to 4 periods) and phase by class and
  /// coefficient; normalised along the steps. Throws std::invalid_argument for extents of 0.
  static SequenceData synthetic_features(const SequenceShape& shape, std::uint64_t seed);

  /// Stored sequences: `values` [sample][t][input], `labels` one per sample. Throws std::invalid_argument for wrong
  /// lengths or labels.
  static SequenceData stored(const SequenceShape& shape, std::vector<double> values, std::vector<std::uint32_t> labels);

  [[nodiscard]] const SequenceShape& shape() const { return shape_; }
  /// `sample` < samples.
  [[nodiscard]] std::uint32_t label(std::size_t sample) const;

  /// Writes a batch as run_forward() takes it, `inputs` [t][b][input], and its `labels`. T is float or double; what is
  /// made are fp32 numbers in both.
  /// Throws std::invalid_argument for wrong lengths or samples out of range.
  template <class T>
  void fill(std::span<const std::size_t> samples, std::span<T> inputs, std::span<std::uint32_t> labels) const;

 private:
  struct Bits {
    std::uint64_t seed;
  };
  struct Waves {
    std::uint64_t seed;
  };
  struct Stored {
    std::vector<double> values;
    std::vector<std::uint32_t> labels;
  };
  using Source = std::variant<Bits, Waves, Stored>;

  SequenceData(const SequenceShape& shape, Source source);
  void write(const Bits& bits, std::size_t sample, std::span<double> values) const;
  void write(const Waves& waves, std::size_t sample, std::span<double> values) const;
  void write(const Stored& stored, std::size_t sample, std::span<double> values) const;

  SequenceShape shape_;
  Source source_;
};

/// Shifts and scales each coefficient of one sequence, `values` [t][input], to mean 0 and variance 1 along its steps;
/// one that is constant becomes 0. Throws std::invalid_argument unless `input` divides the length.
/// T is float or double. Source: thesis, section 4.2.
template <class T>
void normalize_along_steps(std::span<T> values, std::size_t input);

}  // namespace upsweep
