#include "upsweep/network/random.hpp"

#include <cmath>

namespace upsweep {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Of a seed and the name of a stream.
std::uint64_t key_of(std::uint64_t seed, std::string_view stream) {
  std::uint64_t key = mix(seed);
  for (const char c : stream) key = mix(key ^ static_cast<unsigned char>(c));
  return key;
}

/// Natural logarithm of x > 0 from the four basic operations, so that every machine agrees to the last bit.
double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1), exact
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // log(m) = 2 artanh((m - 1) / (m + 1)); the argument is below 0.1716, so thirteen terms reach double precision.
  const double t = (mantissa - 1) / (mantissa + 1);
  const double t2 = t * t;
  double sum = 0;
  for (int k = 25; k >= 1; k -= 2) sum = sum * t2 + 1.0 / k;
  return exponent * 0.69314718055994531 + 2 * t * sum;
}

template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double value = 0;
  for (std::size_t i = N; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

}  // namespace

double normal_quantile(double p) {
  // The coefficients a..f of AS 241, lowest power first.
  static constexpr double kA[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                  1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                  3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double kB[] = {1.0,
                                  4.2313330701600911252e+1,
                                  6.8718700749205790830e+2,
                                  5.3941960214247511077e+3,
                                  2.1213794301586595867e+4,
                                  3.9307895800092710610e+4,
                                  2.8729085735721942674e+4,
                                  5.2264952788528545610e+3};
  static constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                  3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double kD[] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                  2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double kF[] = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double tail = q < 0 ? p : 1 - p;
  double r = std::sqrt(-portable_log(tail));
  double value = 0;
  if (r <= 5) {
    r -= 1.6;
    value = polynomial(kC, r) / polynomial(kD, r);
  } else {
    r -= 5;
    value = polynomial(kE, r) / polynomial(kF, r);
  }
  return q < 0 ? -value : value;
}

UniformStream::UniformStream(std::uint64_t seed, std::string_view stream) : key_(key_of(seed, stream)) {}

double UniformStream::operator()(std::uint64_t i) const {
  const std::uint64_t bits = mix(key_ ^ mix(i)) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

NormalStream::NormalStream(std::uint64_t seed, std::string_view stream) : key_(key_of(seed, stream)) {}

float NormalStream::operator()(std::uint64_t i) const {
  // 53 bits, centred in their cells: never 0 or 1.
  const std::uint64_t bits = mix(key_ ^ mix(i)) >> 11;
  const double p = (static_cast<double>(bits) + 0.5) * 0x1p-53;
  return static_cast<float>(normal_quantile(p));
}

}  // namespace upsweep
