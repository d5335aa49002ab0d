#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Some bytes changed, cut, doubled or taken out.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(64)));
        break;
      case 3:
        bytes.erase(at, below(16));
        break;
      default:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
    }
  }
  return bytes;
}

}  // namespace

/// Gives a fuzz target every file of a folder, and `trials` mutations of each, drawn from a seed: for builds without
/// libFuzzer. replay FOLDER TRIALS [SEED]
int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int trials = std::atoi(argv[2]);
  const unsigned seed = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : std::random_device()();
  std::cout << "seed " << seed << std::endl;
  std::mt19937 random(seed);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    run(bytes);
    for (int i = 0; i < trials; ++i) run(mutated(bytes, random));
    ++files;
  }
  std::cout << files << " files, " << trials << " mutations of each\n";
  return files == 0 ? 1 : 0;
}
