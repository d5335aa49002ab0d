#include "upsweep/study/evaluate_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/scaling/memory_models.hpp"

namespace upsweep {
namespace {

/// All schedules that points need which differ from this one in the schedule only. Those that are none are left out:
/// their points say so.
std::vector<std::string> schedules_of_neighbours(PointSettings settings, const std::vector<std::string>& schedules,
                                                 std::size_t length, std::uint64_t workers) {
  std::vector<std::string> all;
  for (const std::string& schedule : schedules) {
    settings.schedule = schedule;
    try {
      const std::vector<std::string> names = schedules_of_point(settings, length, workers);
      all.insert(all.end(), names.begin(), names.end());
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  return all;
}

/// Sizes of images at which the study asks for the network of a point.
std::vector<ImageSize> images_of(const PointInputs& inputs, const Model& model) {
  std::vector<ImageSize> sizes;
  const Shape& own = model.network.input();
  if (own.size() != 3) return sizes;
  for (const StudyImage& image : *inputs.study_images)
    sizes.push_back({image.height.value_or(own[1]), image.width.value_or(own[2])});
  return sizes;
}

PointFigures score_network(const Model& model, const PointInputs& inputs, const Machine* machine,
                           const PointSettings& settings, CountCache& cache) {
  const std::size_t length = model.network.links().size() + 1;
  const std::uint64_t workers = workers_of_point(settings, length, machine);
  CountCache::ScheduleNames others;
  if (inputs.study_schedules)
    others = [&] { return schedules_of_neighbours(settings, *inputs.study_schedules, length, workers); };
  CountCache::ImageSizes images;
  if (inputs.study_images) images = [&] { return images_of(inputs, model); };
  const std::shared_ptr<const Analysis> analysis =
      cache.counted(model, inputs.settings.pattern, schedules_of_point(settings, length, workers), others, images);
  return score_point(CountedNetwork{*analysis, model.value_bytes, &model.network}, machine, settings);
}

/// Neighbours of a grid mostly share their chain: each thread keeps the profiles of its last one.
PointFigures score_chain(const ChainModel& model, const Machine* machine, const PointSettings& settings) {
  const bool is_in_seconds = machine != nullptr && settings.objective == Objective::time;
  // As a search does, which has no passes on a cpu.
  if (model.passes && is_in_seconds && machine->kind != MachineKind::cpu)
    return score_passes(model.chain, *model.passes, model.value_bytes, *machine, settings);
  thread_local std::optional<ProfiledChain> last;
  if (!last || last->chain() != model.chain || last->value_bytes() != model.value_bytes)
    last.emplace(model.chain, model.value_bytes);
  return score_point(*last, machine, settings);
}

PointFigures score(const PointInputs& inputs, const Machine* machine, const PointSettings& settings,
                   CountCache& cache) {
  std::optional<Machine> other;
  if (settings.launch && machine == nullptr) {
    throw std::invalid_argument(
        fmt::format("launch is {} without a machine, accepted is with one that is a gpu", to_string(*settings.launch)));
  }
  if (settings.launch && (machine->kind != MachineKind::gpu || machine->launch != *settings.launch))
    machine = &other.emplace(launched(*machine, *settings.launch));
  if ((settings.library || settings.interval != IntervalEnd::predicted) &&
      (machine == nullptr || machine->kind != MachineKind::gpu))
    throw std::invalid_argument("library or interval without a gpu, accepted is with a machine that is one");
  if (settings.library) machine = &other.emplace(with_library(*machine, *settings.library));
  if (settings.interval != IntervalEnd::predicted) {
    std::optional<Machine> end = at_bound(*machine, settings.interval == IntervalEnd::high);
    if (!end) {
      throw std::invalid_argument(
          fmt::format("interval is {}, and the machine {} has no rates of sparse products, accepted is predicted",
                      to_string(settings.interval), machine->name));
    }
    machine = &other.emplace(*std::move(end));
  }
  if (const ChainModel* chain = std::get_if<ChainModel>(inputs.model.model.get()))
    return score_chain(*chain, machine, settings);
  return score_network(std::get<Model>(*inputs.model.model), inputs, machine, settings, cache);
}

/// Runs `work`; what makes a point impossible is its text, else nothing.
template <class Work>
std::optional<std::string> fault_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const CountOverflow& error) {
    return error.what();
  }
}

/// Bytes that a point may use, as score_point() has it; NaN without a limit.
double limit_of(const PointInputs& inputs) {
  const PointSettings& settings = inputs.settings.point;
  if (settings.memory_limit) return static_cast<double>(*settings.memory_limit);
  const Machine* machine = inputs.machine.machine.get();
  if (machine == nullptr || !settings.is_limited_by_machine || machine->memory_bytes == 0) return PointBrief::kNone;
  return static_cast<double>(machine->memory_bytes);
}

/// Why no schedule fits: the reason of the scan that was asked for, else of plain back-propagation.
std::string infeasible_reason(const PointFigures& figures) {
  return figures.refused_scan ? figures.refused_scan->reason : figures.plain.reason;
}

void add_memory_models(const PointInputs& inputs, PointRecord& record) {
  const PointFigures& figures = record.figures;
  const auto batch = static_cast<double>(inputs.settings.point.batch);
  record.bppsa_bytes = bppsa_worker_bytes(figures.elements, figures.workers, figures.largest_jacobian_bytes) * batch;
  // GPipe cuts the batch into as many micro-batches as there are workers; an input is not cut.
  const double micro_batch = std::max(batch / static_cast<double>(figures.workers), 1.0);
  record.pipeline_bytes =
      pipeline_worker_bytes(figures.elements, figures.workers, figures.largest_vector_bytes * micro_batch);
}

}  // namespace

PointRecord evaluate_point(const PointInputs& inputs, CountCache& cache) {
  PointRecord record;
  record.model_hash = inputs.model.hash;
  record.machine_hash = inputs.machine.hash;
  record.settings = settings_text(inputs.settings);
  if (inputs.is_excluded) {
    record.status = PointStatus::excluded;
    return record;
  }
  std::optional<std::string> fault;
  if (!inputs.error.empty()) fault = inputs.error;
  if (!fault) {
    fault = fault_of([&] {
      record.figures = score(inputs, inputs.machine.machine.get(), inputs.settings.point, cache);
      add_memory_models(inputs, record);
    });
  }
  if (fault) {
    record.figures = {};
    record.status = PointStatus::invalid;
    record.reason = *std::move(fault);
    return record;
  }
  record.key = inputs.key;
  record.memory_limit = limit_of(inputs);
  record.status = record.figures.best ? PointStatus::done : PointStatus::infeasible;
  if (!record.figures.best) record.reason = infeasible_reason(record.figures);
  return record;
}

std::optional<Binding> binding_of_point(const PointInputs& inputs, CountCache& cache) {
  if (inputs.is_excluded || !inputs.error.empty()) return std::nullopt;
  const Machine* machine = inputs.machine.machine.get();
  const Rescore rescore = [&](const Machine* other, const PointSettings& settings) {
    return score(inputs, other, settings, cache);
  };
  std::optional<Binding> binding;
  const std::optional<std::string> fault = fault_of([&] {
    if (!rescore(machine, inputs.settings.point).best) return;
    binding = binding_resource(rescore, machine, inputs.settings.point);
  });
  return fault ? std::nullopt : binding;
}

PointBrief brief_of(const PointRecord& record, std::uint32_t schedule) {
  PointBrief brief;
  brief.status = record.status;
  if (record.status != PointStatus::done && record.status != PointStatus::infeasible) return brief;
  const PointFigures& figures = record.figures;
  brief.schedule = schedule;
  brief.is_in_seconds = figures.is_in_seconds;
  if (figures.best) {
    brief.score = figures.best->score;
    brief.best_bytes = figures.best->peak_live_bytes;
  }
  brief.plain_score = figures.plain.score;
  brief.dense_score = figures.dense_score;
  brief.graph_score = figures.graph_score;
  brief.blocks_score = figures.blocks_score;
  brief.plain_bytes = figures.plain.peak_live_bytes;
  if (figures.scan) brief.scan_score = figures.scan->score;
  if (const auto& scan = figures.scan ? figures.scan : figures.refused_scan) brief.scan_bytes = scan->peak_live_bytes;
  brief.bppsa_bytes = record.bppsa_bytes;
  brief.pipeline_bytes = record.pipeline_bytes;
  brief.memory_limit = record.memory_limit;
  return brief;
}

}  // namespace upsweep
