#include "upsweep/learning/sequence_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/random.hpp"

namespace upsweep {
namespace {

void require_valid(const SequenceShape& shape) {
  if (shape.samples > 0 && shape.steps > 0 && shape.input > 0 && shape.classes > 0) return;
  throw std::invalid_argument(fmt::format("{} sequences of {} steps, {} inputs and {} classes, accepted is 1 or more",
                                          shape.samples, shape.steps, shape.input, shape.classes));
}

/// Period 1, from -1 to 1; exact but for its argument, unlike a sine the same on every machine.
double triangle_wave(double x) { return 4 * std::fabs(x - std::floor(x + 0.5)) - 1; }

std::uint32_t random_label(std::uint64_t seed, std::size_t sample, std::size_t classes) {
  const double drawn = UniformStream(seed, "labels")(sample) * static_cast<double>(classes);
  return static_cast<std::uint32_t>(std::min(static_cast<std::size_t>(drawn), classes - 1));
}

}  // namespace

SequenceData::SequenceData(const SequenceShape& shape, Source source) : shape_(shape), source_(std::move(source)) {
  require_valid(shape);
}

SequenceData SequenceData::bitstream(const SequenceShape& shape, std::uint64_t seed) {
  if (shape.input != 1)
    throw std::invalid_argument(fmt::format("a stream of bits has {} inputs, accepted is 1", shape.input));
  return {shape, Bits{seed}};
}

SequenceData SequenceData::synthetic_features(const SequenceShape& shape, std::uint64_t seed) {
  return {shape, Waves{seed}};
}

SequenceData SequenceData::stored(const SequenceShape& shape, std::vector<double> values,
                                  std::vector<std::uint32_t> labels) {
  if (values.size() != shape.samples * shape.steps * shape.input || labels.size() != shape.samples) {
    throw std::invalid_argument(fmt::format("{} values and {} labels, accepted are {} and {}", values.size(),
                                            labels.size(), shape.samples * shape.steps * shape.input, shape.samples));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < shape.classes) continue;
    throw std::invalid_argument(
        fmt::format("label {} of sample {}, accepted are 0 to {}", labels[i], i, shape.classes - 1));
  }
  return {shape, Stored{std::move(values), std::move(labels)}};
}

std::uint32_t SequenceData::label(std::size_t sample) const {
  if (const auto* stored = std::get_if<Stored>(&source_)) return stored->labels[sample];
  const auto* bits = std::get_if<Bits>(&source_);
  return random_label(bits != nullptr ? bits->seed : std::get<Waves>(source_).seed, sample, shape_.classes);
}

void SequenceData::write(const Bits& bits, std::size_t sample, std::span<double> values) const {
  const double ones = (label(sample) + 0.5) / static_cast<double>(shape_.classes);
  const UniformStream uniform(bits.seed, fmt::format("bits of {}", sample));
  for (std::size_t t = 0; t < values.size(); ++t) values[t] = uniform(t) < ones ? 1 : 0;
}

void SequenceData::write(const Waves& waves, std::size_t sample, std::span<double> values) const {
  std::vector<float> made(values.size());
  const UniformStream frequency(waves.seed, "frequencies");
  const UniformStream phase(waves.seed, "phases");
  const UniformStream noise(waves.seed, fmt::format("noise of {}", sample));
  for (std::size_t i = 0; i < shape_.input; ++i) {
    const std::size_t wave = label(sample) * shape_.input + i;
    const double periods = (1 + 3 * frequency(wave)) / static_cast<double>(shape_.steps);
    const double start = phase(wave);
    for (std::size_t t = 0; t < shape_.steps; ++t) {
      const std::size_t at = t * shape_.input + i;
      const double clean = triangle_wave(start + periods * static_cast<double>(t));
      made[at] = static_cast<float>(clean + 2 * noise(at) - 1);
    }
  }
  normalize_along_steps(std::span(made), shape_.input);
  std::copy(made.begin(), made.end(), values.begin());
}

void SequenceData::write(const Stored& stored, std::size_t sample, std::span<double> values) const {
  std::copy_n(stored.values.begin() + static_cast<std::ptrdiff_t>(sample * values.size()), values.size(),
              values.begin());
}

template <class T>
void SequenceData::fill(std::span<const std::size_t> samples, std::span<T> inputs,
                        std::span<std::uint32_t> labels) const {
  const std::size_t batch = samples.size();
  const std::size_t length = shape_.steps * shape_.input;
  if (labels.size() != batch || inputs.size() != batch * length) {
    throw std::invalid_argument(fmt::format("{} inputs and {} labels for a batch of {}, accepted are {} and {}",
                                            inputs.size(), labels.size(), batch, batch * length, batch));
  }
  for (const std::size_t sample : samples) {
    if (sample < shape_.samples) continue;
    throw std::invalid_argument(fmt::format("sample {}, accepted are 0 to {}", sample, shape_.samples - 1));
  }
  parallel_chunks(batch, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<double> sequence(length);
    for (std::size_t b = begin; b < end; ++b) {
      labels[b] = label(samples[b]);
      std::visit([&](const auto& source) { write(source, samples[b], sequence); }, source_);
      for (std::size_t t = 0; t < shape_.steps; ++t) {
        for (std::size_t i = 0; i < shape_.input; ++i)
          inputs[(t * batch + b) * shape_.input + i] = static_cast<T>(sequence[t * shape_.input + i]);
      }
    }
  });
}

template <class T>
void normalize_along_steps(std::span<T> values, std::size_t input) {
  if (input == 0 || values.empty() || values.size() % input != 0) {
    throw std::invalid_argument(
        fmt::format("{} values of {} coefficients, accepted are whole steps, at least 1", values.size(), input));
  }
  const std::size_t rows = values.size() / input;
  const auto steps = static_cast<double>(rows);
  for (std::size_t i = 0; i < input; ++i) {
    double sum = 0;
    bool is_constant = true;
    for (std::size_t at = i; at < values.size(); at += input) {
      sum += static_cast<double>(values[at]);
      is_constant = is_constant && values[at] == values[i];
    }
    const double mean = sum / steps;
    double squares = 0;
    for (std::size_t at = i; at < values.size(); at += input) {
      const double difference = static_cast<double>(values[at]) - mean;
      squares += difference * difference;
    }
    const double scale = is_constant ? 0 : 1 / std::sqrt(squares / steps);
    for (std::size_t at = i; at < values.size(); at += input)
      values[at] = is_constant ? T{0} : static_cast<T>((static_cast<double>(values[at]) - mean) * scale);
  }
}

template void normalize_along_steps<float>(std::span<float>, std::size_t);
template void normalize_along_steps<double>(std::span<double>, std::size_t);
template void SequenceData::fill<float>(std::span<const std::size_t>, std::span<float>, std::span<std::uint32_t>) const;
template void SequenceData::fill<double>(std::span<const std::size_t>, std::span<double>,
                                         std::span<std::uint32_t>) const;

}  // namespace upsweep
