#include <string>
#include <utility>

#include "cuda_backends.hpp"

namespace upsweep {
namespace {

constexpr const char* kReason = "built without CUDA: no CUDA compiler was found when this program was built";

/// Stands in for a backend that was not compiled.
class NoCudaBackend : public Backend {
 public:
  explicit NoCudaBackend(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Availability availability() const override { return {false, kReason}; }
  [[nodiscard]] DeviceFacts facts() const override { throw BackendError(kReason); }
  [[nodiscard]] Measurement run(const Schedule&, const NumericChain<float>&, const RunOptions&) const override {
    throw BackendError(kReason);
  }
  [[nodiscard]] Measurement run(const Schedule&, const NumericChain<double>&, const RunOptions&) const override {
    throw BackendError(kReason);
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend() { return std::make_unique<NoCudaBackend>("cuda"); }
std::unique_ptr<Backend> make_cusparse_backend() { return std::make_unique<NoCudaBackend>("cusparse"); }
std::unique_ptr<Backend> make_cusparse_reuse_backend() { return std::make_unique<NoCudaBackend>("cusparse-reuse"); }

}  // namespace upsweep
