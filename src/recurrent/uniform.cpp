#include "upsweep/recurrent/uniform.hpp"

namespace upsweep {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

UniformStream::UniformStream(std::uint64_t seed, std::string_view stream) : key_(mix(seed)) {
  for (const char c : stream) key_ = mix(key_ ^ static_cast<unsigned char>(c));
}

double UniformStream::operator()(std::uint64_t i) const {
  const std::uint64_t bits = mix(key_ ^ mix(i)) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace upsweep
