#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
  std::ofstream("replay.input", std::ios::binary) << bytes;
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
      case 2: {
        const std::size_t from = below(bytes.size());
        bytes.insert(at, bytes.substr(from, below(64)));
        break;
      }
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

/// Gives a fuzz target every file of a folder, and so many mutations of each, drawn from a seed and the file's place:
/// for builds without libFuzzer. Whatever input is under way stands in replay.input. replay FOLDER TRIALS [SEED]
int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned long trials = std::stoul(argv[2]);
  const unsigned long seed = argc > 3 ? std::stoul(argv[3]) : std::random_device()();
  std::cout << "seed " << seed << std::endl;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::ranges::sort(files);
  for (std::size_t f = 0; f < files.size(); ++f) {
    std::cout << files[f].filename().string() << std::endl;
    std::ifstream in(files[f], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    run(bytes);
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed + f));
    for (unsigned long i = 0; i < trials; ++i) run(mutated(bytes, random));
  }
  std::cout << files.size() << " files, " << trials << " mutations of each\n";
  return files.empty() ? 1 : 0;
}
