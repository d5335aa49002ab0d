#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/recurrent_host_team.hpp"
#include "recurrent/support.hpp"
#include "recurrent_forward_program.hpp"
#include "recurrent_input_program.hpp"
#include "recurrent_outer_arrays.hpp"
#include "recurrent_outer_program.hpp"
#include "recurrent_sizes.hpp"
#include "upsweep/recurrent/operands.hpp"

/// The kernels around a backward pass on this processor: the programs that a GPU runs, one team after the other, each
/// of kThreads threads.
namespace upsweep::testing {

/// Calls body(hidden) with the size that kernels are compiled for, 0 for a wide cell; fewer of them in double precision
/// and of several threads, since each takes its time to compile.
template <class T, unsigned kThreads, class Body>
void with_forward_size(std::size_t hidden, const Body& body) {
  if (hidden > kernels::kMostSmallHidden) {
    body(std::integral_constant<unsigned, 0>());
  } else if constexpr (kThreads == 1 && std::is_same_v<T, float>) {
    kernels::with_hidden_class(hidden, body);
  } else if (hidden <= 8) {
    body(std::integral_constant<unsigned, 8>());
  } else if (hidden > 20 && hidden <= 48) {
    body(std::integral_constant<unsigned, 48>());
  } else if constexpr (kThreads == 1) {
    if (hidden <= 20) return body(std::integral_constant<unsigned, 20>());
    body(std::integral_constant<unsigned, 64>());
  } else {
    throw std::logic_error("no such size");
  }
}

/// A forward pass from h_0 = 0. Throws NonFiniteState.
template <class T, unsigned kThreads>
[[nodiscard]] ForwardStates<T> forward_on_host(const CellWeights<T>& weights, std::span<const T> inputs,
                                               std::size_t steps, std::size_t batch) {
  const CellShape& shape = weights.shape;
  ForwardStates<T> states;
  set_sizes(shape, steps, batch, states);
  constexpr T kNothing = std::numeric_limits<T>::quiet_NaN();
  for (std::vector<T>* array : {&states.hidden, &states.r, &states.z, &states.n, &states.m})
    array->assign(array->size(), kNothing);
  std::fill_n(states.hidden.begin(), batch * shape.hidden, T(0));
  const kernels::ForwardArrays<T> arrays = kernels::forward_arrays(weights);
  std::vector<std::uint64_t> faults(batch * shape.hidden, ~std::uint64_t{0});
  const kernels::ForwardView<T> view{inputs.data(),
                                     arrays.w_ih.data(),
                                     arrays.w_hh.data(),
                                     arrays.bias.data(),
                                     arrays.hidden_bias.data(),
                                     states.hidden.data(),
                                     states.r.data(),
                                     states.z.data(),
                                     states.n.data(),
                                     states.m.data(),
                                     faults.data(),
                                     steps,
                                     batch,
                                     static_cast<std::uint32_t>(shape.input),
                                     static_cast<std::uint32_t>(shape.hidden),
                                     shape.kind == CellKind::rnn && shape.nonlinearity == Nonlinearity::relu};
  kernels::with_cell_kind(shape.kind, [&]<CellKind kKind>(std::integral_constant<CellKind, kKind>) {
    const std::uint64_t teams = kernels::input_row_teams(view) * kernels::input_sum_teams<kKind>(view);
    for (std::uint64_t number = 0; number < teams; ++number) {
      kernels::InputScratch<T> shared;
      run_host_team<kThreads>([&](const auto& team) { kernels::input_program<kKind>(team, view, number, shared); });
    }
    with_forward_size<T, kThreads>(shape.hidden, [&]<unsigned kHidden>(std::integral_constant<unsigned, kHidden>) {
      for (std::uint64_t b = 0; b < batch; ++b) {
        if constexpr (kHidden == 0) {
          std::vector<T> shared(kernels::wide_forward_numbers(shape.hidden), kNothing);
          run_host_team<kThreads>(
              [&](const auto& team) { kernels::wide_forward_program<kKind>(team, view, b, shared.data()); });
        } else {
          using Shape = kernels::ForwardShape<T, kKind, kHidden>;
          const auto shared = std::make_unique<kernels::ForwardScratch<Shape>>();
          run_host_team<kThreads>([&](const auto& team) {
            kernels::ForwardProgram<Shape, HostTeam<kThreads>>(team, view, *shared).run(b);
          });
        }
      }
    });
  });
  kernels::require_no_fault(faults, shape.hidden);
  return states;
}

/// Gradients of all parameters.
template <class T, unsigned kThreads>
[[nodiscard]] CellWeights<T> parameters_on_host(const RecurrentCase<T>& test, std::span<T> hidden_gradients) {
  const CellShape& shape = test.weights.shape;
  const ForwardStates<T>& states = test.states;
  kernels::OuterView<T> view;
  view.plan = kernels::outer_plan({shape, states.steps, states.batch, true});
  view.cell.states = states.hidden.data();
  view.cell.r = states.r.data();
  view.cell.z = states.z.data();
  view.cell.n = states.n.data();
  view.cell.m = states.m.data();
  view.cell.gradients = hidden_gradients.data();
  view.cell.batch = states.batch;
  view.cell.hidden = static_cast<std::uint32_t>(shape.hidden);
  view.cell.is_relu = shape.kind == CellKind::rnn && shape.nonlinearity == Nonlinearity::relu;
  view.inputs = test.inputs.data();
  view.logits = test.head.logits_gradient.data();
  std::vector<double> partials(view.plan.partials, std::numeric_limits<double>::quiet_NaN());
  std::vector<T> result(view.plan.sums, std::numeric_limits<T>::quiet_NaN());
  view.partials = partials.data();
  view.result = result.data();
  kernels::with_cell_kind(shape.kind, [&]<CellKind kKind>(std::integral_constant<CellKind, kKind>) {
    const auto shared = std::make_unique<kernels::OuterScratch<T>>();
    for (std::uint64_t number = 0; number < view.plan.teams; ++number) {
      run_host_team<kThreads>([&](const auto& team) {
        kernels::OuterProgram<kKind, T, HostTeam<kThreads>>(team, view, *shared).run(number);
      });
    }
  });
  for (std::uint64_t number = 0; number * kernels::kPartColumns < view.plan.sums; ++number) {
    kernels::PartScratch shared;
    run_host_team<kThreads>([&](const auto& team) { kernels::part_program(team, view, number, shared); });
  }
  auto gradients = zero_weights<T>(shape);
  kernels::write_gradients<T>(view.plan, result, gradients);
  return gradients;
}

}  // namespace upsweep::testing
