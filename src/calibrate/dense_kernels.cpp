#include "dense_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "blas.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

/// Fewer elements than this are not worth waking another thread.
constexpr std::size_t kElementsPerChunk = 1 << 14;

/// Numbers without a pattern in -scale .. scale, none close to 0: products of many stay what processors are fast with.
template <class T>
std::vector<T> made_up(std::size_t count, double scale) {
  std::vector<T> numbers(count);
  std::uint32_t state = 1;
  for (T& number : numbers) {
    state = state * 1664525U + 1013904223U;
    const double share = 0.5 + 0.5 * static_cast<double>(state >> 8U & 0xffffU) / 65536;
    number = static_cast<T>((state >> 31U) != 0 ? scale * share : -scale * share);
  }
  return numbers;
}

/// Calls body(c) for each channel, on the threads that there are.
template <class Body>
void for_each_channel(std::size_t channels, std::size_t elements_per_channel, const Body& body) {
  const std::size_t grain =
      std::max<std::size_t>(1, kElementsPerChunk / std::max<std::size_t>(1, elements_per_channel));
  parallel_chunks(channels, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t c = begin; c < end; ++c) body(c);
  });
}

template <class T>
class LinearKernels : public DenseKernels<T> {
 public:
  LinearKernels(const Operator& op, std::size_t threads)
      : in_(elements(op.in_shape)),
        out_(elements(op.out_shape)),
        threads_(threads),
        weights_(made_up<T>(in_ * out_, 1 / std::sqrt(static_cast<double>(out_)))),
        input_(made_up<T>(in_, 1)),
        weight_gradient_(in_ * out_) {}

  void to_input(const T* output_gradient, T* input_gradient) override {
    const BlasThreads threads(threads_);
    multiply_transposed(out_, in_, weights_.data(), output_gradient, input_gradient);
  }
  [[nodiscard]] bool has_weights() const override { return true; }
  void to_weights(const T* output_gradient) override {
    const BlasThreads threads(threads_);
    multiply_dense<T>(out_, in_, 1, {output_gradient, 1}, {input_.data(), in_}, weight_gradient_.data());
  }

  [[nodiscard]] std::span<const T> weights() const override { return weights_; }
  [[nodiscard]] std::span<const T> input() const override { return input_; }
  [[nodiscard]] std::span<const T> weight_gradient() const override { return weight_gradient_; }

 private:
  std::size_t in_;
  std::size_t out_;
  std::size_t threads_;
  std::vector<T> weights_;
  std::vector<T> input_;
  std::vector<T> weight_gradient_;
};

template <class T>
class ConvolutionKernels : public DenseKernels<T> {
 public:
  ConvolutionKernels(const Operator& op, const Conv2d& kind, std::size_t threads)
      : kernel_(kind.kernel),
        stride_(kind.stride),
        padding_(kind.padding),
        dilation_(kind.dilation),
        groups_(kind.groups),
        threads_(threads),
        channels_(op.in_shape[0]),
        height_(op.in_shape[1]),
        width_(op.in_shape[2]),
        out_channels_(op.out_shape[0]),
        out_height_(op.out_shape[1]),
        out_width_(op.out_shape[2]),
        weights_(made_up<T>(out_channels_ * rows_per_group(), 1 / std::sqrt(static_cast<double>(fan_out())))),
        input_(made_up<T>(channels_ * height_ * width_, 1)),
        weight_gradient_(weights_.size()) {
    if (!is_pixelwise()) columns_.resize(channels_ * kernel_.y * kernel_.x * positions());
  }

  void to_input(const T* output_gradient, T* input_gradient) override {
    T* const columns = is_pixelwise() ? input_gradient : columns_.data();
    for_each_group([&](std::size_t g) {
      multiply_dense<T>(rows_per_group(), positions(), out_per_group(),
                        {weights_.data() + g * out_per_group() * rows_per_group(), rows_per_group(), true},
                        {output_gradient + g * out_per_group() * positions(), positions()},
                        columns + g * rows_per_group() * positions());
    });
    if (!is_pixelwise())
      for_each_channel(channels_, height_ * width_, [&](std::size_t c) { col2im(c, input_gradient); });
  }
  [[nodiscard]] bool has_weights() const override { return true; }
  void to_weights(const T* output_gradient) override {
    if (!is_pixelwise()) for_each_channel(channels_, height_ * width_, [&](std::size_t c) { im2col(c); });
    const T* const columns = is_pixelwise() ? input_.data() : columns_.data();
    for_each_group([&](std::size_t g) {
      multiply_dense<T>(out_per_group(), rows_per_group(), positions(),
                        {output_gradient + g * out_per_group() * positions(), positions()},
                        {columns + g * rows_per_group() * positions(), positions(), true},
                        weight_gradient_.data() + g * out_per_group() * rows_per_group());
    });
  }
  [[nodiscard]] std::span<const T> weights() const override { return weights_; }
  [[nodiscard]] std::span<const T> input() const override { return input_; }
  [[nodiscard]] std::span<const T> weight_gradient() const override { return weight_gradient_; }

 private:
  [[nodiscard]] std::size_t positions() const { return out_height_ * out_width_; }
  [[nodiscard]] std::size_t out_per_group() const { return out_channels_ / groups_; }
  /// Of the windows of a group as a matrix: channels and places in the kernel.
  [[nodiscard]] std::size_t rows_per_group() const { return channels_ / groups_ * kernel_.y * kernel_.x; }
  [[nodiscard]] std::size_t fan_out() const { return out_per_group() * kernel_.y * kernel_.x; }
  /// Windows are single pixels, one after the other: the matrix of windows is the image.
  [[nodiscard]] bool is_pixelwise() const {
    return kernel_.y * kernel_.x == 1 && stride_.y * stride_.x == 1 && padding_.y + padding_.x == 0;
  }

  /// Groups one after the other with the threads of the library or, where there are many, side by side with one each.
  template <class Body>
  void for_each_group(const Body& body) {
    if (groups_ < 2 * threads_) {
      const BlasThreads threads(threads_);
      for (std::size_t g = 0; g < groups_; ++g) body(g);
      return;
    }
    const BlasThreads threads(1);
    for_each_channel(groups_, rows_per_group() * positions(), body);
  }

  /// Calls visit(place, pixel, count, step) for what channel `c` has in the matrix of windows: `count` numbers from a
  /// place on, which are those of every `step`-th pixel.
  template <class Visit>
  void for_each_row(std::size_t c, const Visit& visit) const {
    for (std::size_t ky = 0; ky < kernel_.y; ++ky) {
      for (std::size_t kx = 0; kx < kernel_.x; ++kx) {
        const std::size_t row = (c * kernel_.y + ky) * kernel_.x + kx;
        const Inside xs = inside(kx * dilation_.x, padding_.x, stride_.x, width_, out_width_);
        const Inside ys = inside(ky * dilation_.y, padding_.y, stride_.y, height_, out_height_);
        for (std::size_t oy = ys.begin; oy < ys.end; ++oy) {
          const std::size_t y = oy * stride_.y + ky * dilation_.y - padding_.y;
          const std::size_t x = xs.begin * stride_.x + kx * dilation_.x - padding_.x;
          if (xs.begin < xs.end) {
            visit(row * positions() + oy * out_width_ + xs.begin, (c * height_ + y) * width_ + x, xs.end - xs.begin,
                  stride_.x);
          }
        }
      }
    }
  }

  /// Outputs whose input at this place of the kernel is no padding.
  struct Inside {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] static Inside inside(std::size_t place, std::size_t padding, std::size_t stride, std::size_t in,
                                     std::size_t out) {
    const std::size_t begin = place >= padding ? 0 : (padding - place + stride - 1) / stride;
    const std::size_t end = in + padding <= place ? 0 : (in + padding - place - 1) / stride + 1;
    return {begin, std::min(end, out)};
  }

  void col2im(std::size_t c, T* image) const {
    std::fill_n(image + c * height_ * width_, height_ * width_, T{0});
    for_each_row(c, [&](std::size_t place, std::size_t pixel, std::size_t count, std::size_t step) {
      const T* const from = columns_.data() + place;
      T* const to = image + pixel;
      for (std::size_t i = 0; i < count; ++i) to[i * step] += from[i];
    });
  }
  void im2col(std::size_t c) {
    const std::size_t numbers = kernel_.y * kernel_.x * positions();
    std::fill_n(columns_.begin() + static_cast<std::ptrdiff_t>(c * numbers), numbers, T{0});  // the padding
    for_each_row(c, [&](std::size_t place, std::size_t pixel, std::size_t count, std::size_t step) {
      const T* const from = input_.data() + pixel;
      T* const to = columns_.data() + place;
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i * step];
    });
  }

  PerAxis kernel_;
  PerAxis stride_;
  PerAxis padding_;
  PerAxis dilation_;
  std::size_t groups_;
  std::size_t threads_;
  std::size_t channels_, height_, width_;
  std::size_t out_channels_, out_height_, out_width_;
  std::vector<T> weights_;
  std::vector<T> input_;
  std::vector<T> weight_gradient_;
  std::vector<T> columns_;  // the windows as a matrix [channels · kernel, positions]
};

template <class T>
class ElementwiseKernels : public DenseKernels<T> {
 public:
  explicit ElementwiseKernels(const Operator& op) : slopes_(made_up<T>(elements(op.in_shape), 1)) {
    for (T& slope : slopes_) slope = std::copysign(T{1}, slope);  // of size 1: gradients neither grow nor die out
  }
  void to_input(const T* output_gradient, T* input_gradient) override {
    parallel_chunks(slopes_.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) input_gradient[i] = output_gradient[i] * slopes_[i];
    });
  }

 private:
  std::vector<T> slopes_;
};

/// What each input of a window counts for along y and x, by the `kernel` of its tap; empty where all count alike.
using TapCoefficients = std::pair<std::vector<double>, std::vector<double>>;

template <class T>
class PoolingKernels : public DenseKernels<T> {
 public:
  /// Each output is the mean of its inputs, or combines them with `coefficients`.
  PoolingKernels(const Operator& op, ImageWindows windows, TapCoefficients coefficients = {})
      : windows_(std::move(windows)),
        coefficients_(std::move(coefficients)),
        channels_(op.in_shape[0]),
        height_(op.in_shape[1]),
        width_(op.in_shape[2]),
        out_height_(op.out_shape[1]),
        out_width_(op.out_shape[2]) {}

  /// Each output is one of its inputs: another place of the window from output to output.
  void choose() {
    chosen_.resize(channels_ * out_height_ * out_width_);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const std::size_t c = i / (out_height_ * out_width_);
      const auto ys = windows_.y.by_output(i / out_width_ % out_height_);
      const auto xs = windows_.x.by_output(i % out_width_);
      chosen_[i] = static_cast<std::uint32_t>((c * height_ + ys[i % ys.size()].position) * width_ +
                                              xs[i / 2 % xs.size()].position);
    }
  }

  void to_input(const T* output_gradient, T* input_gradient) override {
    const std::size_t positions = out_height_ * out_width_;
    for_each_channel(channels_, height_ * width_, [&](std::size_t c) {
      std::fill_n(input_gradient + c * height_ * width_, height_ * width_, T{0});
      const T* gradient = output_gradient + c * positions;
      if (!chosen_.empty()) {
        for (std::size_t i = 0; i < positions; ++i) input_gradient[chosen_[c * positions + i]] += gradient[i];
        return;
      }
      for (std::size_t oy = 0; oy < out_height_; ++oy) {
        const auto ys = windows_.y.by_output(oy);
        for (std::size_t ox = 0; ox < out_width_; ++ox) {
          const auto xs = windows_.x.by_output(ox);
          const T share = gradient[oy * out_width_ + ox] *
                          (coefficients_.first.empty() ? T{1} / static_cast<T>(ys.size() * xs.size()) : T{1});
          for (const Tap& y : ys) {
            const T row_share = share * coefficient(coefficients_.first, y);
            for (const Tap& x : xs) {
              input_gradient[(c * height_ + y.position) * width_ + x.position] +=
                  row_share * coefficient(coefficients_.second, x);
            }
          }
        }
      }
    });
  }

 private:
  [[nodiscard]] static T coefficient(const std::vector<double>& by_tap, const Tap& tap) {
    return by_tap.empty() ? T{1} : static_cast<T>(by_tap[tap.kernel]);
  }

  ImageWindows windows_;
  TapCoefficients coefficients_;
  std::size_t channels_, height_, width_;
  std::size_t out_height_, out_width_;
  std::vector<std::uint32_t> chosen_;  // by output, the input that it is; empty: means
};

}  // namespace

template <class T>
std::unique_ptr<DenseKernels<T>> dense_kernels(const Operator& op, std::size_t threads) {
  using Made = std::unique_ptr<DenseKernels<T>>;
  return visit_operator(
      op.kind, [&](const Linear&) -> Made { return std::make_unique<LinearKernels<T>>(op, threads); },
      [&](const Conv2d& kind) -> Made { return std::make_unique<ConvolutionKernels<T>>(op, kind, threads); },
      [&](const ConvTranspose2d&) -> Made { return nullptr; },
      [&](const ElementwiseOperator auto&) -> Made { return std::make_unique<ElementwiseKernels<T>>(op); },
      [&](const ChoosingOperator auto& kind) -> Made {
        auto kernels = std::make_unique<PoolingKernels<T>>(op, kind.windows(op));
        kernels->choose();
        return kernels;
      },
      [&](const AveragingOperator auto& kind) -> Made {
        return std::make_unique<PoolingKernels<T>>(op, kind.windows(op));
      },
      [&](const CombiningOperator auto& kind) -> Made {
        return std::make_unique<PoolingKernels<T>>(op, kind.windows(op), kind.coefficients(op));
      },
      [](const MixingOperator auto&) -> Made { return nullptr; },
      [](const CopyingOperator auto&) -> Made { return nullptr; });
}

template std::unique_ptr<DenseKernels<float>> dense_kernels<float>(const Operator&, std::size_t);
template std::unique_ptr<DenseKernels<double>> dense_kernels<double>(const Operator&, std::size_t);

}  // namespace upsweep
