#include "graphblas_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "product_list.hpp"
#include "upsweep/sparse/pattern.hpp"

extern "C" {
#include <GraphBLAS.h>
}

namespace upsweep::bench {
namespace {

void check(GrB_Info info, const char* call) {
  if (info == GrB_SUCCESS) return;
  if (info == GrB_OUT_OF_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(fmt::format("{} failed with GrB_Info {}, expected 0", call, static_cast<int>(info)));
}

struct FreeMatrix {
  void operator()(GrB_Matrix matrix) const { GrB_Matrix_free(&matrix); }
};
using Matrix = std::unique_ptr<std::remove_pointer_t<GrB_Matrix>, FreeMatrix>;

/// `count` elements of memory that GraphBLAS takes over and frees.
template <class T>
T* allocate(std::size_t count) {
  T* memory = static_cast<T*>(std::malloc(std::max<std::size_t>(1, count) * sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

Matrix import_pattern(const Pattern& pattern) {
  const CsrPattern csr = pattern.to_csr();
  auto* indptr = allocate<GrB_Index>(csr.indptr.size());
  auto* indices = allocate<GrB_Index>(csr.indices.size());
  auto* value = allocate<bool>(1);
  std::copy(csr.indptr.begin(), csr.indptr.end(), indptr);
  std::copy(csr.indices.begin(), csr.indices.end(), indices);
  *value = true;
  auto* values = static_cast<void*>(value);
  GrB_Matrix matrix = nullptr;
  check(GxB_Matrix_import_CSR(&matrix, GrB_BOOL, csr.rows, csr.cols, &indptr, &indices, &values,
                              csr.indptr.size() * sizeof(GrB_Index), csr.indices.size() * sizeof(GrB_Index),
                              sizeof(bool), /*iso=*/true, /*jumbled=*/false, nullptr),
        "GxB_Matrix_import_CSR");
  return Matrix(matrix);
}

Matrix multiply(const Matrix& later, const Matrix& earlier) {
  GrB_Index rows = 0;
  GrB_Index cols = 0;
  check(GrB_Matrix_nrows(&rows, later.get()), "GrB_Matrix_nrows");
  check(GrB_Matrix_ncols(&cols, earlier.get()), "GrB_Matrix_ncols");
  GrB_Matrix product = nullptr;
  check(GrB_Matrix_new(&product, GrB_BOOL, rows, cols), "GrB_Matrix_new");
  Matrix owned(product);
  check(GrB_mxm(product, nullptr, nullptr, GxB_ANY_PAIR_BOOL, later.get(), earlier.get(), nullptr), "GrB_mxm");
  check(GrB_Matrix_wait(product, GrB_MATERIALIZE), "GrB_Matrix_wait");
  return owned;
}

std::uint64_t count_entries(const Matrix& matrix) {
  GrB_Index nnz = 0;
  check(GrB_Matrix_nvals(&nnz, matrix.get()), "GrB_Matrix_nvals");
  return nnz;
}

}  // namespace

Task graphblas_products(const JacobianChain& chain, const Schedule& schedule, std::size_t threads) {
  struct State {
    ProductList list;
    std::vector<Matrix> elements;
    Counts nnz;
  };
  check(GrB_init(GrB_NONBLOCKING), "GrB_init");
  check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, static_cast<int>(threads)), "GxB_Global_Option_set");
  const auto state = std::make_shared<State>();
  state->list = matrix_products(schedule);
  state->elements.resize(1);
  for (const auto& jacobian : chain.jacobians) state->elements.push_back(import_pattern(*jacobian));
  Task task;
  task.run = [state] { state->nnz = replay(state->list, state->elements, multiply, count_entries); };
  task.counts = [state] { return state->nnz; };
  return task;
}

std::string graphblas_version() {
  return fmt::format("SuiteSparse:GraphBLAS {}.{}.{}", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR,
                     GxB_IMPLEMENTATION_SUB);
}

}  // namespace upsweep::bench
