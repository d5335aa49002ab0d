#pragma once

#include <string>
#include <utility>

#include "upsweep/backend/backend.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"

namespace upsweep {

/// Stands in for a backend of networks that was not compiled.
class MissingBackend final : public Backend {
 public:
  MissingBackend(std::string name, std::string reason) : name_(std::move(name)), reason_(std::move(reason)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Availability availability() const override { return {false, reason_}; }
  [[nodiscard]] DeviceFacts facts() const override { throw BackendError(reason_); }
  [[nodiscard]] Measurement run(const Schedule&, const NumericChain<float>&, const RunOptions&) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] Measurement run(const Schedule&, const NumericChain<double>&, const RunOptions&) const override {
    throw BackendError(reason_);
  }

 private:
  std::string name_;
  std::string reason_;
};

/// Stands in for a backend of recurrent models; which passes it would have is not the question.
class MissingRecurrent final : public RecurrentBackend, public OuterBackend {
 public:
  /// `outer`: where forward passes run; null: on this one.
  MissingRecurrent(std::string name, std::string reason, bool has_scans, const OuterBackend* outer)
      : name_(std::move(name)), reason_(std::move(reason)), has_scans_(has_scans), outer_(outer) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Availability availability() const override { return {false, reason_}; }
  [[nodiscard]] DeviceFacts facts() const override { throw BackendError(reason_); }
  [[nodiscard]] bool has_scans() const override { return has_scans_; }
  [[nodiscard]] const OuterBackend& outer() const override { return outer_ == nullptr ? *this : *outer_; }
  [[nodiscard]] std::string unsupported(const BackwardMethod&, const PassShape&) const override { return {}; }
  [[nodiscard]] std::string unsupported_forward(const PassShape&) const override { return {}; }
  [[nodiscard]] std::uint64_t bytes(const BackwardMethod&, const PassShape&, unsigned) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<float>> make(const BackwardMethod&, const PassShape&,
                                                          std::type_identity<float>) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<double>> make(const BackwardMethod&, const PassShape&,
                                                           std::type_identity<double>) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] std::unique_ptr<ForwardPass<float>> make_forward(const PassShape&,
                                                                 std::type_identity<float>) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] std::unique_ptr<ForwardPass<double>> make_forward(const PassShape&,
                                                                  std::type_identity<double>) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] std::unique_ptr<ParameterPass<float>> make_parameters(const PassShape&,
                                                                      std::type_identity<float>) const override {
    throw BackendError(reason_);
  }
  [[nodiscard]] std::unique_ptr<ParameterPass<double>> make_parameters(const PassShape&,
                                                                       std::type_identity<double>) const override {
    throw BackendError(reason_);
  }

 private:
  std::string name_;
  std::string reason_;
  bool has_scans_;
  const OuterBackend* outer_;
};

}  // namespace upsweep
