#include "cusparse_run.hpp"

#include "cuda_check.hpp"
#include "sequence_timing.hpp"

namespace upsweep::kernels {
template <class T>
CusparseRun<T>::CusparseRun(const Schedule& schedule, const NumericChain<T>& chain, std::uint64_t memory_limit)
    : schedule_(schedule),
      memory_(memory_limit),
      stream_(make_stream()),
      context_(make_context<T>(stream_.get(), memory_)),
      values_(schedule.values()),
      vectors_(schedule.values(), false),
      structures_(schedule.values()),
      dropped_(dropped_values(schedule)) {
  vectors_[0] = true;
  values_[0] = upload_vector(context_, chain.gradient);
  for (std::size_t i = 1; i < schedule.length; ++i) {
    structures_[i] = host_structure(*chain.structure.jacobians[i - 1]);
    values_[i] = upload_matrix(context_, *structures_[i], chain.values[i - 1]);
  }
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    vectors_[schedule.value_of(id)] = vectors_[schedule.combines[id].earlier];
  }
}

template <class T>
void CusparseRun<T>::run_and_count(Measurement& measurement) {
  measurement.ops.resize(schedule_.combines.size());
  for (std::size_t id = 0; id < schedule_.combines.size(); ++id) {
    run_named(id, [&](std::size_t combine) {
      start(combine);
      cuda_check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
      measurement.ops[combine] = count(combine);
      finish(combine);
    });
  }
}

template <class T>
OpMeasurement CusparseRun<T>::count(std::size_t id) {
  const Combine& combine = schedule_.combines[id];
  const ValueId target = schedule_.value_of(id);
  const HostStructure& x = *structures_[combine.later];
  OpMeasurement measured;
  if (is_vector(target)) {
    measured.nnz = static_cast<std::uint64_t>(values_[target].rows);
    measured.products = static_cast<std::uint64_t>(x.nnz());
  } else {
    HostStructure structure = download_structure(context_, values_[target]);
    measured.nnz = static_cast<std::uint64_t>(structure.nnz());
    measured.products = products_of(x, *structures_[combine.earlier]);
    measured.structure_digest = digest_of(structure);
    structures_[target] = std::move(structure);
  }
  for (const ValueId value : dropped_[id]) structures_[value].reset();
  return measured;
}

template <class T>
void CusparseRun<T>::drop_after(std::size_t id) {
  for (const ValueId value : dropped_[id]) values_[value] = {};
}

template <class T>
std::vector<std::vector<double>> CusparseRun<T>::download_results() const {
  std::vector<std::vector<double>> results;
  for (const ValueId result : schedule_.results) {
    results.push_back(result == kIdentity ? std::vector<double>() : download_vector(context_, values_[result]));
  }
  return results;
}

template class CusparseRun<float>;
template class CusparseRun<double>;

}  // namespace upsweep::kernels
