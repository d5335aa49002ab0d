#include <fmt/format.h>

#include "upsweep/cli/build_facts.hpp"

namespace upsweep::cli {

std::string version_text() {
  const BuildFacts& facts = build_facts();
  const auto with = [](bool is_there) { return is_there ? "with" : "without"; };
  std::string text = fmt::format("upsweep {} ({}), {} MPI, {} CUDA, {} charts; {}", facts.version, facts.commit,
                                 with(facts.has_mpi), with(facts.has_cuda), with(facts.has_charts), facts.compiler);
  if (*facts.build_type != '\0') text += fmt::format(", {}", facts.build_type);
  if (*facts.sanitizers != '\0') text += fmt::format(", -fsanitize={}", facts.sanitizers);
  return text;
}

}  // namespace upsweep::cli
