#include "upsweep/app/loading.hpp"

#include <fmt/format.h>

#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/chain_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/jacobian/chain.hpp"

namespace upsweep {

Model load_network(const std::string& file, Numbers numbers) {
  if (is_recurrent_file(file)) {
    throw InputError(
        fmt::format("{}: a recurrent model, accepted are models with operators: recurrent ones have profile, search, "
                    "validate, train and study",
                    file));
  }
  require_no_chain(file);
  Model model = load_model(file, numbers);
  try {
    require_pattern_memory(model.network, model.weights, machine_memory());
  } catch (const OperatorError& error) {
    throw model.located(error);
  }
  return model;
}

Numbers numbers_for(PatternKind pattern) {
  return pattern == PatternKind::sample ? Numbers::needed : Numbers::structure;
}

Analysis analyse_network(const Model& model, PatternKind pattern, std::vector<Schedule> schedules, const Watch& watch) {
  const auto progress = [&](std::size_t done, std::size_t inputs) {
    watch.show(done < inputs ? fmt::format("counting products, input {} of {}", done + 1, inputs) : "");
  };
  const NetworkView view{model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes};
  try {
    return analyse(view, pattern, std::move(schedules), progress);
  } catch (const OperatorError& error) {
    throw model.located(error);
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", model.file, error.what()));
  }
}

void require_no_chain(const std::string& file) {
  if (!is_chain_file(file)) return;
  throw InputError(
      fmt::format("{}: a synthetic chain, which has counts and no values, accepted are models with operators or a "
                  "recurrent network: chains have profile, search and study",
                  file));
}

std::optional<Machine> load_machine_of(const std::optional<std::string>& file) {
  return file ? std::optional(load_machine(*file)) : std::nullopt;
}

void check_sizes(const RecurrentSizes& sizes) {
  const auto check = [](const char* field, const std::optional<std::uint64_t>& size, std::uint64_t least,
                        std::uint64_t most) {
    if (!size || (*size >= least && *size <= most)) return;
    throw RequestError(field, fmt::format("is '{}', accepted is an integer from {} to {}", *size, least, most));
  };
  check("steps", sizes.steps, 2, RecurrentSizes::kMostSteps);
  check("batch", sizes.batch, 1, RecurrentSizes::kMostBatch);
  check("hidden", sizes.hidden, 1, RecurrentSizes::kMostHidden);
}

bool is_recurrent_request(const std::string& file, const RecurrentSizes& sizes) {
  if (is_recurrent_file(file)) return true;
  for (const auto& [field, size] :
       {std::pair{"steps", &sizes.steps}, std::pair{"batch", &sizes.batch}, std::pair{"hidden", &sizes.hidden}}) {
    if (!*size) continue;
    throw RequestError(
        field, fmt::format("is for recurrent models, {} has a list of operators with shapes of their own", file));
  }
  return false;
}

RecurrentModel load_recurrent_with(const std::string& file, const RecurrentSizes& sizes, Layers accepted) {
  RecurrentModel model = load_recurrent(file, accepted);
  model.steps = sizes.steps.value_or(model.steps);
  model.batch = sizes.batch.value_or(model.batch);
  model.shape.hidden = sizes.hidden.value_or(model.shape.hidden);
  if (sizes.hidden && model.values)
    throw InputError(fmt::format("{}: `hidden`, accepted is none: the weights stand in files", model.file));
  return model;
}

}  // namespace upsweep
