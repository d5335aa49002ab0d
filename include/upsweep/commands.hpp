#pragma once

// Made by docs/make_structs from the table of commands and docs/schemas: change these instead.
// clang-format off

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/json.hpp"
#include "upsweep/upsweep.hpp"

/// Every command as a struct of its settings and one of what it found: run(SearchRequest) gives a SearchOutcome. Standard library alone.
/// Members are named as settings and JSON fields, a keyword with an underscore. What is null or absent in the JSON is std::nullopt; a value
/// whose form varies is a json::Text, to be read by json::read(). Counts are means over inputs where a description does not say otherwise.
namespace upsweep::commands {

// Parts of several outcomes.

/// Lowest and highest value, in the unit of the figure that it belongs to.
using Interval = std::array<double, 2>;
/// FLOPs by both executions.
struct FlopsByExecution {
  std::optional<double> level = {};  ///< FLOPs with a barrier after each level; null where they are not known
  /// FLOPs where an op starts when its operands are there; null where that is not known, as of batches
  std::optional<double> dag = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("dag", self.dag);
  }
};
/// Seconds of an iteration by both executions, building the chain left out.
struct SecondsByExecution {
  std::optional<double> level = {};  ///< seconds with a barrier after each level; null without a machine
  /// seconds where an op starts when its operands are there; null without a machine and where that is not known
  std::optional<double> dag = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("dag", self.dag);
  }
};
/// How long an executor takes on the workers.
struct Makespan {
  std::int64_t unit = 0;  ///< steps: each op takes one
  double flops = 0;  ///< FLOPs: each op takes its own

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("unit", self.unit); f("flops", self.flops);
  }
};
/// Makespans by both executions.
struct MakespanByExecution {
  Makespan level = {};  ///< with a barrier after each level
  /// an op starts when its operands are there; null where that is not known, as of batches
  std::optional<Makespan> dag = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("dag", self.dag);
  }
};
/// Numbers of workers by both rules of ops.
struct WorkersByRule {
  /// workers, where each op runs on one; null: none up to 2^40, or not looked for
  std::optional<std::int64_t> whole = {};
  std::optional<std::int64_t> shared = {};  ///< workers, where they share ops; null: none up to 2^40, or not looked for

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("whole", self.whole); f("shared", self.shared);
  }
};
/// Schedules by both rules of ops.
struct NamesByRule {
  /// a schedule, where each op runs on one worker; null: there is none, or it was not looked for
  std::optional<std::string> whole = {};
  /// a schedule, where workers share ops; null: there is none, or it was not looked for
  std::optional<std::string> shared = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("whole", self.whole); f("shared", self.shared);
  }
};
/// What holds by each rule of ops.
struct TruthByRule {
  /// where each op runs on one worker; null where it was not looked for or nothing is known
  std::optional<bool> whole = {};
  std::optional<bool> shared = {};  ///< where workers share ops; null where it was not looked for or nothing is known

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("whole", self.whole); f("shared", self.shared);
  }
};
/// What a scan that pays saves in each iteration, and when what it takes once is paid back.
struct Payback {
  std::string schedule = {};  ///< the scan
  double saved_s = 0;  ///< seconds saved in each iteration, above 0
  /// seconds taken once, for planning, capturing a graph and compiling; null where nobody said, each second of it is
  /// meant
  std::optional<double> setup_s = {};
  std::optional<double> iterations = {};  ///< iterations after which that is paid back; null without setup_s
  /// seconds of planning that were measured, equal to setup_s; of `validate` of networks alone
  std::optional<double> planning_s = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("schedule", self.schedule); f("saved_s", self.saved_s); f("setup_s", self.setup_s);
    f("iterations", self.iterations); f("planning_s", self.planning_s);
  }
};
/// What a verdict holds under.
struct Frame {
  /// workers or threads, of a training step devices; null where the whole machine is meant, and of a study whose points
  /// differ
  std::optional<std::int64_t> workers = {};
  std::optional<std::string> machine = {};  ///< name of the machine, or of the device that was measured; null without
  std::optional<std::int64_t> batch = {};  ///< inputs, sequences or samples of an iteration; null: each model's own
  /// rules of ops that were compared: one worker each, or shared; null where ops use a whole machine
  std::optional<std::vector<std::string>> ops = {};
  /// with barriers after levels, or without; null of training steps (level, dag)
  std::optional<std::string> execution = {};
  /// how kernels of a GPU are started; null without a GPU (eager, graph, fused)
  std::optional<std::string> launch = {};
  /// which entries of Jacobians count; null where none are counted (guaranteed, sample)
  std::optional<std::string> pattern = {};
  /// what live values, or what a device keeps, may take, in the unit of memory_unit; null without a limit
  std::optional<double> memory_limit = {};
  /// the unit of memory_limit, null without: tensors and units are those of a training file (bytes, tensors, units)
  std::optional<std::string> memory_unit = {};
  std::string scope = {};  ///< whether dead ops count (all, live)
  /// whose sparse products a GPU's are; null where they are the datasheet's, and without a GPU
  std::optional<std::string> library = {};
  /// what the times stand on: unit costs of a PRAM (FLOPs without a machine, too), rates and bandwidth, models of
  /// kernels, a measurement, or the costs of a training file; null of a study whose points differ (pram, roofline,
  /// kernels, measured, file)
  std::optional<std::string> priced_by = {};
  std::vector<std::string> varies = {};  ///< of a study, names of these fields that its axes change; else empty

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("workers", self.workers); f("machine", self.machine); f("batch", self.batch); f("ops", self.ops);
    f("execution", self.execution); f("launch", self.launch); f("pattern", self.pattern);
    f("memory_limit", self.memory_limit); f("memory_unit", self.memory_unit); f("scope", self.scope);
    f("library", self.library); f("priced_by", self.priced_by); f("varies", self.varies);
  }
};
/// Plain or dense back-propagation, or the best policy of a training step, beside the best scan.
struct Baseline {
  /// which one: sparse-bp-whole, sparse-bp-shared and sparse-bp over the same Jacobians with each op on one worker,
  /// with ops that workers share, and in seconds; dense-bp; graph-bp over a graph with branches; best-policy of a
  /// training step (sparse-bp-whole, sparse-bp-shared, sparse-bp, dense-bp, graph-bp, best-policy)
  std::string name = {};
  std::optional<double> score = {};  ///< what it takes, in `unit`; null where the machine file lacks a rate for it
  std::string unit = {};  ///< unit of score and scan_score (flops, s)
  /// the scan with the smallest score by this baseline's rule; null without a scan
  std::optional<std::string> best_scan = {};
  /// what that takes, in `unit`, with what a scan leaves to do beside this baseline; null without a scan
  std::optional<double> scan_score = {};
  /// scan_score / score, below 1 the scan is faster; null where one of them is missing
  std::optional<double> ratio = {};
  /// score / scan_score, above 1 the scan is faster; null where one of them is missing
  std::optional<double> speedup = {};
  std::optional<Interval> interval = {};  ///< of score, in `unit`; null where none is known
  std::optional<Interval> scan_interval = {};  ///< of scan_score, in `unit`; null where none is known
  /// what `interval` stands on: published times of a library (four times in five), a datasheet (up to twice as long),
  /// or estimates of counts (95 %); null without one (published, datasheet, estimates)
  std::optional<std::string> interval_from = {};
  std::optional<std::string> scan_interval_from = {};  ///< the same of scan_interval (published, datasheet, estimates)
  bool exact = false;  ///< false where scan_score rests on an estimate of counts
  bool within_uncertainty = false;  ///< whether the two intervals leave open which is faster
  /// the key of the machine file without which there is no score; absent where there is one
  std::optional<std::string> missing = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("score", self.score); f("unit", self.unit); f("best_scan", self.best_scan);
    f("scan_score", self.scan_score); f("ratio", self.ratio); f("speedup", self.speedup); f("interval", self.interval);
    f("scan_interval", self.scan_interval); f("interval_from", self.interval_from);
    f("scan_interval_from", self.scan_interval_from); f("exact", self.exact);
    f("within_uncertainty", self.within_uncertainty); f("missing", self.missing);
  }
};
/// The parts of a verdict's sentence, from which cards are made.
struct VerdictParts {
  std::optional<std::string> headline = {};  ///< the answer, where baselines alone do not tell it; null where they do
  std::optional<std::string> under = {};  ///< the frame in words: On 16 workers, one input; null without one
  /// how the best scan stands beside the baselines; null where nothing is compared
  std::optional<std::string> standing = {};
  std::optional<std::string> binds = {};  ///< what binds the best scan; null where that is not said
  /// from where on a scan is faster, of a study, and at how many places; null without such a place
  std::optional<std::string> overtakes = {};
  std::vector<std::string> turned_by = {};  ///< usual settings under which it ends otherwise, a text each

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("headline", self.headline); f("under", self.under); f("standing", self.standing); f("binds", self.binds);
    f("overtakes", self.overtakes); f("turned_by", self.turned_by);
  }
};
/// Whether a scan pays, and beside what.
struct Verdict {
  /// what it holds under; null of training files of one GPU, and where nothing is compared
  std::optional<Frame> frame = {};
  /// yes: the scan takes less than every baseline; only-if-ops-are-whole: less than all but sparse-bp-shared; null
  /// where what was compared does not tell (yes, only-if-ops-are-whole, no)
  std::optional<std::string> pays = {};
  /// whether the uncertainty of predicted times leaves the answer open; null where no intervals are known
  std::optional<bool> uncertain = {};
  std::optional<std::string> decided_by = {};  ///< what was compared; null without baselines (seconds, flops)
  std::vector<Baseline> baselines = {};  ///< what the best scan is compared with
  /// the smallest numbers of workers with which one of the compared scans is faster than plain back-propagation in
  /// FLOPs
  WorkersByRule overtakes_from = {};
  NamesByRule overtakes_first = {};  ///< the scans that are faster with these numbers of workers
  WorkersByRule overtakes_always_from = {};  ///< the smallest numbers of workers from which on one stays faster
  TruthByRule loses_again = {};  ///< whether a larger number of workers than in overtakes_from loses again
  TruthByRule overtakes_known = {};  ///< false where looking was given up
  std::optional<Payback> payback = {};  ///< what a scan that pays saves; null where no scan pays in seconds
  VerdictParts parts = {};  ///< parts of the sentence
  std::string sentence = {};  ///< all of it in words, as the table for people ends

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("frame", self.frame); f("pays", self.pays); f("uncertain", self.uncertain); f("decided_by", self.decided_by);
    f("baselines", self.baselines); f("overtakes_from", self.overtakes_from);
    f("overtakes_first", self.overtakes_first); f("overtakes_always_from", self.overtakes_always_from);
    f("loses_again", self.loses_again); f("overtakes_known", self.overtakes_known); f("payback", self.payback);
    f("parts", self.parts); f("sentence", self.sentence);
  }
};
/// Work over the graph of a network with branches, which a chain leaves out.
struct GraphWork {
  std::int64_t tasks = 0;  ///< tasks of the graph, of one input
  double flops = 0;  ///< FLOPs of all of them
  std::int64_t steps = 0;  ///< topological levels: each task stands one above the highest that it waits for
  /// `level`: the most expensive task of each level added up; `dag`: the longest path
  FlopsByExecution critical_path_flops = {};
  MakespanByExecution makespan = {};  ///< on the workers, of all inputs of the batch
  /// predicted seconds; null without a machine, and where the machine has no rate for it
  std::optional<double> seconds = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("tasks", self.tasks); f("flops", self.flops); f("steps", self.steps);
    f("critical_path_flops", self.critical_path_flops); f("makespan", self.makespan); f("seconds", self.seconds);
  }
};
/// Makespans in FLOPs over that of back-propagation over the graph; ratios, below 1 is faster.
struct GraphRatio {
  double scan = 0;  ///< of the scan alone
  double with_formation = 0;  ///< of the scan and of forming the Jacobians of blocks
  double with_formation_and_inner = 0;  ///< of these and of the gradients inside blocks

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("scan", self.scan); f("with_formation", self.with_formation);
    f("with_formation_and_inner", self.with_formation_and_inner);
  }
};
/// The same by both executions.
struct GraphRatios {
  GraphRatio level = {};  ///< with a barrier after each level
  std::optional<GraphRatio> dag = {};  ///< without; null where that is not known, as of batches

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("dag", self.dag);
  }
};
/// Dense back-propagation, which networks use today.
struct DenseBaseline {
  /// FLOPs of the dense kernels for the gradients of activations, padding left out; null where they are not defined, as
  /// of chains, stacks and GRUs
  std::optional<double> flops = {};
  /// predicted seconds of these; null without a cpu or gpu machine, without its dense rates, and without a network
  std::optional<double> seconds = {};
  /// predicted seconds of the gradients of the weights, not in `seconds`; null as there
  std::optional<double> weight_gradient_seconds = {};
  std::optional<std::int64_t> kernels = {};  ///< kernels that `seconds` counts; null as there

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("flops", self.flops); f("seconds", self.seconds); f("weight_gradient_seconds", self.weight_gradient_seconds);
    f("kernels", self.kernels);
  }
};
/// How the rows of Jacobians were counted.
struct Counting {
  std::string by = {};  ///< by classes of rows that are shifts of each other, or each row (classes, rows)
  std::int64_t rows = 0;  ///< rows of all Jacobians
  std::int64_t classes = 0;  ///< classes that were counted; equal to rows where each row was

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("by", self.by); f("rows", self.rows); f("classes", self.classes);
  }
};
/// By backend of networks, why it cannot run the schedule; null: nothing speaks against it.
using BackendReasons = std::map<std::string, std::optional<std::string>>;
/// By backend, what these reasons do not know of it; backends without are left out.
using BackendNotes = std::map<std::string, std::string>;
/// The recurrent layer.
struct Recurrent {
  std::string cell = {};  ///< kind of the cell (rnn, gru)
  std::optional<std::string> nonlinearity = {};  ///< of an rnn; null of a gru (tanh, relu)
  std::int64_t input_size = 0;  ///< elements of an input
  std::int64_t hidden_size = 0;  ///< elements of a hidden state
  std::int64_t layers = 0;  ///< layers of the stack
  std::int64_t steps = 0;  ///< length of the sequences
  std::int64_t batch = 0;  ///< sequences of an iteration
  bool fused = false;  ///< one Jacobian per step; false: two

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("cell", self.cell); f("nonlinearity", self.nonlinearity); f("input_size", self.input_size);
    f("hidden_size", self.hidden_size); f("layers", self.layers); f("steps", self.steps); f("batch", self.batch);
    f("fused", self.fused);
  }
};
/// A recurrent model.
struct RecurrentModel {
  std::string name = {};  ///< its name
  std::string dtype = {};  ///< type of its numbers (fp32, fp64)
  std::vector<std::int64_t> input = {};  ///< shape of an input of a step, in elements
  Recurrent recurrent = {};  ///< the layer

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("dtype", self.dtype); f("input", self.input); f("recurrent", self.recurrent);
  }
};
/// Where the seconds of a phase go.
struct DeviceParts {
  double launch = 0;  ///< seconds of starting kernels
  double latency = 0;  ///< seconds of waiting for one product after the other
  double workers = 0;  ///< seconds for want of workers
  double arithmetic = 0;  ///< seconds of arithmetic
  double shared_memory = 0;  ///< seconds of traffic of shared memory
  double memory = 0;  ///< seconds of traffic of device memory

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("launch", self.launch); f("latency", self.latency); f("workers", self.workers); f("arithmetic", self.arithmetic);
    f("shared memory", self.shared_memory); f("memory", self.memory);
  }
};
/// A phase of a pass as its kernels are predicted.
struct DevicePhase {
  double seconds = 0;  ///< predicted seconds; 0 of a phase that the pass does not have
  /// what most of it waits for; null without kernels (launch, latency, workers, arithmetic, shared memory, memory)
  std::optional<std::string> bound = {};
  DeviceParts parts_s = {};  ///< seconds by what is waited for
  std::int64_t kernels = 0;  ///< kernels
  std::int64_t flops = 0;  ///< FLOPs of the batch
  std::int64_t bytes = 0;  ///< bytes moved from and to device memory

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("seconds", self.seconds); f("bound", self.bound); f("parts_s", self.parts_s); f("kernels", self.kernels);
    f("flops", self.flops); f("bytes", self.bytes);
  }
};
/// Against the sequential pass in seconds, above 1 is faster.
struct DeviceSpeedup {
  std::optional<double> backward = {};  ///< of the backward pass with parameter gradients; null where a time is 0
  /// the same without forming Jacobians; null where a time is 0
  std::optional<double> backward_without_jacobians = {};
  std::optional<double> overall = {};  ///< with the forward pass, too; null where a time is 0

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("backward", self.backward); f("backward_without_jacobians", self.backward_without_jacobians);
    f("overall", self.overall);
  }
};
/// What is assumed of kernels.
struct DeviceAssumptions {
  std::int64_t forward_kernels = 0;  ///< kernels of a step of the sequential forward pass
  std::int64_t backward_kernels = 0;  ///< kernels of a step of the sequential backward pass
  double host_launch_s = 0;  ///< least seconds between two kernels that the host starts
  std::int64_t unrolled = 0;  ///< loads of a thread that are under way
  bool dense_diagonals = false;  ///< whether diagonal Jacobians of unfused steps are stored as full matrices

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("forward_kernels", self.forward_kernels); f("backward_kernels", self.backward_kernels);
    f("host_launch_s", self.host_launch_s); f("unrolled", self.unrolled); f("dense_diagonals", self.dense_diagonals);
  }
};
/// Levels of a scan that are alike.
struct DeviceLevel {
  std::string phase = {};  ///< sweep that they belong to (up, middle, down)
  std::int64_t repeat = 0;  ///< how many levels
  std::int64_t products = 0;  ///< products of one level, of one sequence
  std::int64_t waves = 0;  ///< waves of thread blocks that one level of all sequences takes
  double seconds = 0;  ///< predicted seconds of all of them
  /// what most of it waits for; null where it takes no time (launch, latency, workers, arithmetic, shared memory,
  /// memory)
  std::optional<std::string> bound = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("phase", self.phase); f("repeat", self.repeat); f("products", self.products); f("waves", self.waves);
    f("seconds", self.seconds); f("bound", self.bound);
  }
};
/// A backward pass of a recurrent model, predicted on a machine by its kernels.
struct DevicePrediction {
  DevicePhase forward = {};  ///< the forward pass
  DevicePhase sequential = {};  ///< the sequential backward pass, which speed-ups are against
  DevicePhase jacobians = {};  ///< forming and storing Jacobians; nothing where each is formed when it is used
  DevicePhase up = {};  ///< the up-sweep
  DevicePhase middle = {};  ///< what lies between the sweeps
  DevicePhase down = {};  ///< the down-sweep; of a sequential pass all of it
  DevicePhase parameter_gradients = {};  ///< the gradients of the parameters
  double hidden_s = 0;  ///< seconds of all hidden gradients: Jacobians and sweeps
  std::int64_t memory_bytes = 0;  ///< bytes of device memory that the pass holds
  DeviceSpeedup speedup = {};  ///< against the sequential pass
  std::optional<std::string> machine = {};  ///< name of the machine; in `profile` alone
  std::optional<std::string> method = {};  ///< the pass that was asked for; in `profile` alone
  std::optional<DeviceAssumptions> assumptions = {};  ///< what was assumed; in `profile` alone
  /// levels of the scan, alike ones together; empty of passes without; in `profile` alone
  std::optional<std::vector<DeviceLevel>> levels = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("forward", self.forward); f("sequential", self.sequential); f("jacobians", self.jacobians); f("up", self.up);
    f("middle", self.middle); f("down", self.down); f("parameter_gradients", self.parameter_gradients);
    f("hidden_s", self.hidden_s); f("memory_bytes", self.memory_bytes); f("speedup", self.speedup);
    f("machine", self.machine); f("method", self.method); f("assumptions", self.assumptions); f("levels", self.levels);
  }
};
/// Numbers of ops of a level.
struct StackOps {
  std::int64_t matrix = 0;  ///< with a matrix as result
  std::int64_t vector = 0;  ///< with a vector as result

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("matrix", self.matrix); f("vector", self.vector);
  }
};
/// Levels of a way through a stack that are alike.
struct StackStage {
  std::string phase = {};  ///< what they belong to (wavefront, layers, right-side, up, middle, down, rounds)
  std::int64_t repeat = 0;  ///< how many levels of block products
  StackOps products = {};  ///< block products of one of them
  std::vector<StackOps> additions = {};  ///< additions after it, one level each

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("phase", self.phase); f("repeat", self.repeat); f("products", self.products); f("additions", self.additions);
  }
};
/// Levels by the closed form of a way.
struct StackSteps {
  std::string formula = {};  ///< the form, k layers, T steps, L of the levels of the scan
  std::int64_t levels = 0;  ///< levels of block products by it
  std::int64_t addition_levels = 0;  ///< levels of additions by it

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("formula", self.formula); f("levels", self.levels); f("addition_levels", self.addition_levels);
  }
};
/// A way through a stack of layers and steps; figures are those of one sequence.
struct StackMethod {
  std::string name = {};  ///< as "layers-then-time/hybrid:2"
  bool feasible = false;  ///< whether it fits the memory limit
  std::optional<std::string> reason = {};  ///< why it does not; null where it does
  double score = 0;  ///< what the search minimises, FLOPs
  std::int64_t levels = 0;  ///< levels of block products
  std::int64_t addition_levels = 0;  ///< levels of additions between them
  StackSteps predicted = {};  ///< both by the closed form
  std::int64_t ops = 0;  ///< block products
  std::int64_t mm_ops = 0;  ///< of these products of two matrices
  std::int64_t mv_ops = 0;  ///< of these products of a matrix with a vector
  std::int64_t additions = 0;  ///< additions of blocks
  std::int64_t flops = 0;  ///< FLOPs of the products
  std::int64_t addition_flops = 0;  ///< FLOPs of the additions
  std::int64_t per_step_flops = 0;  ///< FLOPs of the largest op
  std::int64_t critical_path_flops = 0;  ///< FLOPs of the most expensive op of each level, added up
  Makespan makespan = {};  ///< on the workers with a barrier after each level, additions included
  std::int64_t makespan_shared = 0;  ///< FLOPs of the makespan where workers share ops
  std::int64_t bound_shared = 0;  ///< FLOPs below which no schedule of such ops is
  /// score over that of the wavefront, below 1 is faster; null where that is 0
  std::optional<double> ratio_to_wavefront = {};
  std::optional<double> speedup_over_wavefront = {};  ///< the inverse of ratio_to_wavefront, above 1 is faster
  std::int64_t widest_level = 0;  ///< ops of the widest level
  std::int64_t memory_bytes = 0;  ///< bytes of the values that are held
  std::optional<std::vector<StackStage>> levels_detail = {};  ///< its levels; in `profile` alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("feasible", self.feasible); f("reason", self.reason); f("score", self.score);
    f("levels", self.levels); f("addition_levels", self.addition_levels); f("predicted", self.predicted);
    f("ops", self.ops); f("mm_ops", self.mm_ops); f("mv_ops", self.mv_ops); f("additions", self.additions);
    f("flops", self.flops); f("addition_flops", self.addition_flops); f("per_step_flops", self.per_step_flops);
    f("critical_path_flops", self.critical_path_flops); f("makespan", self.makespan);
    f("makespan_shared", self.makespan_shared); f("bound_shared", self.bound_shared);
    f("ratio_to_wavefront", self.ratio_to_wavefront); f("speedup_over_wavefront", self.speedup_over_wavefront);
    f("widest_level", self.widest_level); f("memory_bytes", self.memory_bytes); f("levels_detail", self.levels_detail);
  }
};
/// What is written to build the chain of Jacobians, in each iteration.
struct ChainBuild {
  double values = 0;  ///< Jacobian values of an input
  double bytes = 0;  ///< bytes of these
  /// FLOPs of forming the Jacobians of blocks for an input, 0 without branches; of networks alone
  std::optional<double> formation_flops = {};
  std::optional<GraphWork> formation = {};  ///< the same as work over the graph; of networks alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("values", self.values); f("bytes", self.bytes); f("formation_flops", self.formation_flops);
    f("formation", self.formation);
  }
};
/// Predicted seconds by how kernels are started; the one in force is also in `seconds`.
struct LaunchSeconds {
  std::optional<double> eager = {};  ///< each by the host; null where the schedule does not run so
  std::optional<double> graph = {};  ///< all as a graph; null where the schedule does not run so
  /// as a graph with one kernel for all ops of a level; null where the schedule does not run so
  std::optional<double> fused = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("eager", self.eager); f("graph", self.graph); f("fused", self.fused);
  }
};
/// Where a scan first overtakes.
struct OvertakingSteps {
  std::int64_t steps = 0;  ///< the smallest length of sequences
  std::string schedule = {};  ///< the scan

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("steps", self.steps); f("schedule", self.schedule);
  }
};
/// A schedule as a search counted and priced it. Figures are null where it was not counted.
struct Candidate {
  std::string schedule = {};  ///< its name, as "hybrid:2"; of a stack the way
  /// levels of the up-sweep before the cut, 0 is plain back-propagation; null of other schemes
  std::optional<std::int64_t> depth = {};
  bool feasible = false;  ///< false where it exceeds the memory limit, and where it was not counted
  std::optional<std::string> reason = {};  ///< why it is not feasible or not counted; null where it is
  /// what the search minimises: FLOPs, or seconds with a machine; null where it is not known
  std::optional<double> score = {};
  std::optional<std::int64_t> levels = {};  ///< levels
  std::optional<std::int64_t> ops = {};  ///< ops, each a product
  std::optional<double> flops = {};  ///< FLOPs of all ops, or of the live ones with --live; of a batch all of it
  /// FLOPs of the critical path of one input: `level` the most expensive op of each level added up, `dag` the longest
  /// chain of ops, null where not known; in `best` of a stack the first alone
  json::Text critical_path_flops = {};
  std::optional<std::int64_t> steps = {};  ///< step complexity: unit-cost makespan on the workers with barriers
  /// FLOPs on the workers by the execution of the search; null where not known, as dag of batches; in `best` of a stack
  /// an object of `unit`, steps, and `flops`
  json::Text makespan = {};
  FlopsByExecution makespans = {};  ///< FLOPs on the workers by both executions
  /// FLOPs on the workers where they share ops, with barriers; null where not known
  std::optional<double> makespan_shared = {};
  std::optional<double> bound_shared = {};  ///< FLOPs below which no schedule of such ops is; null where not known
  std::optional<double> peak_live_bytes = {};  ///< bytes of the values that are live in a level, at most
  /// score over that of plain back-propagation, below 1 is faster; null where that is 0
  std::optional<double> ratio_to_linear = {};
  /// score over that of dense back-propagation, below 1 is faster; null without one
  std::optional<double> ratio_to_baseline = {};
  std::optional<double> speedup_over_linear = {};  ///< the inverse of ratio_to_linear, above 1 is faster
  std::optional<double> speedup_over_baseline = {};  ///< the inverse of ratio_to_baseline, above 1 is faster
  json::Text same_as = {};  ///< an earlier depth, or name of a scheme, of which every figure is equal; null without
  SecondsByExecution seconds = {};  ///< predicted by the machine
  /// predicted seconds by how kernels are started; null without a GPU, and where passes of recurrent models are priced
  std::optional<LaunchSeconds> launch_seconds = {};
  /// whose published times price its sparse products; null where the datasheet does, and without a GPU
  std::optional<std::string> library = {};
  /// of what twice as much (half the latency) helps most; null without a machine (workers, latency, bandwidth,
  /// arithmetic)
  std::optional<std::string> binding = {};
  /// which backends cannot run it; null of models that are no networks
  std::optional<BackendReasons> feasible_on = {};
  /// ruled-out: not counted, since it cannot be the best; left-out: not counted, and whether it is better is not known
  /// (counted, estimated, ruled-out, left-out)
  std::string status = {};
  /// false of estimates and of chains with random entries; null where it was not counted
  std::optional<bool> exact = {};
  /// of score: of estimates 95 %, of published times four in five; null where none is known
  std::optional<Interval> interval = {};
  std::optional<Interval> flops_interval = {};  ///< 95 % of flops, where they are an estimate; else null
  /// of what was not counted, FLOPs that its score is no smaller than; null where counted, in seconds, and where not
  /// known
  std::optional<double> score_bound = {};
  /// of what was not counted, pairs of entries that counting it goes through, about; null where counted
  std::optional<std::int64_t> count_pairs = {};
  /// of the schedule optimal, its name for --schedule, which is all of its products: order:N:...; null of others
  std::optional<std::string> order = {};
  /// of the schedule optimal, FLOPs that no score of a schedule is below; null of others, in seconds, and where
  /// counting ended before it was known
  std::optional<double> lower_bound = {};
  std::optional<double> gap = {};  ///< score over lower_bound less 1, 0 is the least; null without one
  /// what the scan's kernels wait for most; of recurrent models on a machine alone (launch, latency, workers,
  /// arithmetic, shared memory, memory)
  std::optional<std::string> bound = {};
  /// predicted seconds of forming Jacobians; of recurrent models on a machine alone
  std::optional<double> jacobians_s = {};
  std::optional<double> up_s = {};  ///< predicted seconds of the up-sweep; of recurrent models on a machine alone
  /// predicted seconds between the sweeps; of recurrent models on a machine alone
  std::optional<double> middle_s = {};
  /// predicted seconds of the down-sweep, or of a sequential pass; of recurrent models on a machine alone
  std::optional<double> down_s = {};
  /// over the sequential pass, with parameter gradients, above 1 is faster; of recurrent models on a machine alone
  std::optional<double> backward_speedup = {};
  /// the same without forming Jacobians; of recurrent models on a machine alone
  std::optional<double> backward_speedup_without_jacobians = {};
  /// the same with the forward pass; of recurrent models on a machine alone
  std::optional<double> overall_speedup = {};
  /// seconds over those of the sequential pass, below 1 is faster; of recurrent models on a machine alone
  std::optional<double> ratio_to_sequential = {};
  /// the pass phase by phase, of recurrent models on a machine; in `best` of a stack its levels by the closed form;
  /// else absent
  json::Text predicted = {};
  std::optional<std::int64_t> addition_levels = {};  ///< levels of additions of blocks; of stacks alone
  std::optional<std::int64_t> addition_flops = {};  ///< FLOPs of these; of stacks alone
  std::optional<std::int64_t> per_step_flops = {};  ///< FLOPs of the largest op; of stacks alone
  std::optional<std::string> name = {};  ///< the same as schedule; in `best` of stacks alone
  std::optional<std::int64_t> mm_ops = {};  ///< products of two matrices; in `best` of stacks alone
  std::optional<std::int64_t> mv_ops = {};  ///< products with a vector; in `best` of stacks alone
  std::optional<std::int64_t> additions = {};  ///< additions of blocks; in `best` of stacks alone
  /// score over that of the wavefront, below 1 is faster; in `best` of stacks alone
  std::optional<double> ratio_to_wavefront = {};
  /// the inverse of ratio_to_wavefront, above 1 is faster; in `best` of stacks alone
  std::optional<double> speedup_over_wavefront = {};
  std::optional<std::int64_t> widest_level = {};  ///< ops of the widest level; in `best` of stacks alone
  std::optional<std::int64_t> memory_bytes = {};  ///< bytes of the values that are held; in `best` of stacks alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("schedule", self.schedule); f("depth", self.depth); f("feasible", self.feasible); f("reason", self.reason);
    f("score", self.score); f("levels", self.levels); f("ops", self.ops); f("flops", self.flops);
    f("critical_path_flops", self.critical_path_flops); f("steps", self.steps); f("makespan", self.makespan);
    f("makespans", self.makespans); f("makespan_shared", self.makespan_shared); f("bound_shared", self.bound_shared);
    f("peak_live_bytes", self.peak_live_bytes); f("ratio_to_linear", self.ratio_to_linear);
    f("ratio_to_baseline", self.ratio_to_baseline); f("speedup_over_linear", self.speedup_over_linear);
    f("speedup_over_baseline", self.speedup_over_baseline); f("same_as", self.same_as); f("seconds", self.seconds);
    f("launch_seconds", self.launch_seconds); f("library", self.library); f("binding", self.binding);
    f("feasible_on", self.feasible_on); f("status", self.status); f("exact", self.exact); f("interval", self.interval);
    f("flops_interval", self.flops_interval); f("score_bound", self.score_bound); f("count_pairs", self.count_pairs);
    f("order", self.order); f("lower_bound", self.lower_bound); f("gap", self.gap); f("bound", self.bound);
    f("jacobians_s", self.jacobians_s); f("up_s", self.up_s); f("middle_s", self.middle_s); f("down_s", self.down_s);
    f("backward_speedup", self.backward_speedup);
    f("backward_speedup_without_jacobians", self.backward_speedup_without_jacobians);
    f("overall_speedup", self.overall_speedup); f("ratio_to_sequential", self.ratio_to_sequential);
    f("predicted", self.predicted); f("addition_levels", self.addition_levels);
    f("addition_flops", self.addition_flops); f("per_step_flops", self.per_step_flops); f("name", self.name);
    f("mm_ops", self.mm_ops); f("mv_ops", self.mv_ops); f("additions", self.additions);
    f("ratio_to_wavefront", self.ratio_to_wavefront); f("speedup_over_wavefront", self.speedup_over_wavefront);
    f("widest_level", self.widest_level); f("memory_bytes", self.memory_bytes);
  }
};
/// Errors |predicted / measured - 1| of several points.
struct ErrorFigures {
  std::int64_t points = 0;  ///< how many
  std::optional<double> mean = {};  ///< their mean; null without points
  std::optional<double> median = {};  ///< their median; null without points
  std::optional<double> p90 = {};  ///< their 90th percentile; null without points
  std::optional<double> max = {};  ///< the largest; null without points

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("points", self.points); f("mean", self.mean); f("median", self.median); f("p90", self.p90); f("max", self.max);
  }
};
/// Values of axes by the path of what they change.
using Place = std::map<std::string, json::Text>;
/// Who wins, by one rule of ops.
struct Wins {
  std::int64_t points = 0;  ///< points with a schedule that is possible
  std::map<std::string, std::int64_t> wins = {};  ///< how many of them each schedule wins, by its name
  /// the smallest speed-up of the scan, above 1 the scan is faster; null where none is known
  std::optional<double> speedup_least = {};
  std::optional<double> speedup_most = {};  ///< the largest

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("points", self.points); f("wins", self.wins); f("speedup_least", self.speedup_least);
    f("speedup_most", self.speedup_most);
  }
};
/// Figures of an answer; which ones there are depends on the question and on what was found.
struct AnswerFigures {
  std::optional<std::int64_t> points = {};  ///< best: points with a schedule that is possible
  /// best: how many points each schedule wins, by its name
  std::optional<std::map<std::string, std::int64_t>> wins = {};
  /// best, crossover: the smallest speed-up of the scan, above 1 the scan is faster; null where none is known
  std::optional<double> speedup_least = {};
  std::optional<double> speedup_most = {};  ///< best, crossover: the largest
  /// best: the schedule that the study gives to all points; null where points choose
  std::optional<std::string> given_schedule = {};
  std::optional<std::string> speedup_over = {};  ///< best: what speed-ups are over
  std::optional<std::map<std::string, Wins>> by_ops = {};  ///< best: the same by rule of ops, where that is an axis
  std::optional<std::int64_t> rank = {};  ///< best, top, pareto: place, from 1
  std::optional<std::int64_t> position = {};  ///< best, top, pareto: the point in the grid, from 0
  std::optional<Place> coordinates = {};  ///< best, top, pareto: the point's values
  std::optional<std::string> schedule = {};  ///< best, top, pareto: the best schedule there
  std::optional<double> score = {};  ///< time of a backward pass of the batch there, in `unit`
  std::optional<std::string> unit = {};  ///< unit of score and target (s, FLOPs)
  /// speed-up of the scan there, above 1 the scan is faster; null where not known; crossover: at `value`
  std::optional<double> speedup = {};
  std::optional<double> memory_bytes = {};  ///< best, top, pareto: bytes of the peak of live values there
  std::optional<std::string> along = {};  ///< crossover, capacity, fewest_workers: the axis
  /// crossover: on which side of `value` the scan is faster (from, up to, at, everywhere, nowhere, unknown)
  std::optional<std::string> faster = {};
  json::Text value = {};  ///< crossover, capacity, fewest_workers: value of the axis: at the edge, or nearest to it
  json::Text plain_value = {};  ///< crossover: value beside it, at which the scan is not faster; absent without an edge
  std::optional<double> plain_speedup = {};  ///< crossover: speed-up there, at most 1
  /// crossover: what holds the scan back where it is not faster; null where not known (workers, latency, bandwidth,
  /// arithmetic, memory)
  std::optional<std::string> binding = {};
  std::optional<std::int64_t> evaluations = {};  ///< points that were evaluated beside the grid to find the edge
  std::optional<bool> is_blocked = {};  ///< whether a point between the two does not tell
  std::optional<std::int64_t> values = {};  ///< crossover: values of the axis that were looked at
  /// crossover: whether numbers lie between these values, among which it may change and change back unseen
  std::optional<bool> has_gaps = {};
  /// crossover, capacity, fewest_workers: points of the line that say nothing; absent where all do
  std::optional<std::int64_t> missing_points = {};
  /// crossover, capacity, fewest_workers: why they say nothing, the most frequent reason first
  std::optional<std::vector<std::string>> missing = {};
  std::optional<std::string> of = {};  ///< capacity: whose memory (best, plain, scan, bppsa, pipeline)
  /// capacity: which values of the axis fit (all, none, up to, from, between, at, unknown)
  std::optional<std::string> fits = {};
  std::optional<double> bytes = {};  ///< capacity: bytes that are needed at `value`
  std::optional<double> limit_bytes = {};  ///< capacity: bytes that there are
  json::Text beyond = {};  ///< capacity: first value that does not fit
  std::optional<double> beyond_bytes = {};  ///< capacity: bytes that are needed there
  json::Text from = {};  ///< capacity, between: first value that fits
  /// capacity, between: last value below that does not fit; fewest_workers: last value that misses the target
  json::Text below = {};
  std::optional<double> below_bytes = {};  ///< capacity, between: bytes that are needed there
  std::optional<bool> is_one_range = {};  ///< capacity: whether no other values fit, in other ranges
  std::optional<bool> is_reached = {};  ///< fewest_workers: whether any value reaches the target
  std::optional<double> target = {};  ///< fewest_workers: the score to reach, in `unit`
  std::optional<double> below_score = {};  ///< fewest_workers: score at `below`, in `unit`
  std::optional<bool> whole_equals_shared = {};  ///< ops: whether both rules of ops give the same
  std::optional<std::int64_t> more = {};  ///< answers that are left out, where there are many

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("points", self.points); f("wins", self.wins); f("speedup_least", self.speedup_least);
    f("speedup_most", self.speedup_most); f("given_schedule", self.given_schedule);
    f("speedup_over", self.speedup_over); f("by_ops", self.by_ops); f("rank", self.rank); f("position", self.position);
    f("coordinates", self.coordinates); f("schedule", self.schedule); f("score", self.score); f("unit", self.unit);
    f("speedup", self.speedup); f("memory_bytes", self.memory_bytes); f("along", self.along); f("faster", self.faster);
    f("value", self.value); f("plain_value", self.plain_value); f("plain_speedup", self.plain_speedup);
    f("binding", self.binding); f("evaluations", self.evaluations); f("is_blocked", self.is_blocked);
    f("values", self.values); f("has_gaps", self.has_gaps); f("missing_points", self.missing_points);
    f("missing", self.missing); f("of", self.of); f("fits", self.fits); f("bytes", self.bytes);
    f("limit_bytes", self.limit_bytes); f("beyond", self.beyond); f("beyond_bytes", self.beyond_bytes);
    f("from", self.from); f("below", self.below); f("below_bytes", self.below_bytes);
    f("is_one_range", self.is_one_range); f("is_reached", self.is_reached); f("target", self.target);
    f("below_score", self.below_score); f("whole_equals_shared", self.whole_equals_shared); f("more", self.more);
  }
};
/// An answer of a study.
struct Answer {
  /// what was asked; ops: what the rules of ops mean here (best, crossover, capacity, fewest_workers, top, pareto, ops)
  std::string question = {};
  std::optional<Place> where = {};  ///< values of the other axes; null where it is about all points
  std::string sentence = {};  ///< the answer in words
  AnswerFigures answer = {};  ///< its figures

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("question", self.question); f("where", self.where); f("sentence", self.sentence); f("answer", self.answer);
  }
};
/// Seconds of the phases of a backward pass.
struct ScanSeconds {
  double jacobians_s = 0;  ///< seconds of forming Jacobians
  double up_s = 0;  ///< seconds of the up-sweep
  double middle_s = 0;  ///< seconds between the sweeps
  double down_s = 0;  ///< seconds of the down-sweep, or of a sequential pass

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("jacobians_s", self.jacobians_s); f("up_s", self.up_s); f("middle_s", self.middle_s); f("down_s", self.down_s);
  }
};

// profile

namespace profile_parts {
/// The transposed Jacobian of an operator.
struct Jacobian {
  std::int64_t rows = 0;  ///< its rows, elements of the input
  std::int64_t cols = 0;  ///< its columns, elements of the output
  double nnz = 0;  ///< entries
  double sparsity = 0;  ///< share of places without an entry, 1 - nnz / (rows * cols)
  double bytes = 0;  ///< bytes as CSR

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("rows", self.rows); f("cols", self.cols); f("nnz", self.nnz); f("sparsity", self.sparsity);
    f("bytes", self.bytes);
  }
};
/// An operator of the network.
struct Operator {
  std::int64_t index = 0;  ///< from 1
  std::string name = {};  ///< its name
  std::string kind = {};  ///< kind of operator, as model files call it
  std::vector<std::int64_t> in_shape = {};  ///< shape of its (first) input, in elements
  std::vector<std::int64_t> out_shape = {};  ///< shape of its output, in elements
  std::optional<Jacobian> jacobian = {};  ///< its transposed Jacobian; null of views, which hand on, and of joins
  double baseline_flops = 0;  ///< FLOPs of dense back-propagation through it
  /// what it reads, by name, "input" the network's; of networks with branches alone
  std::optional<std::vector<std::string>> inputs = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("index", self.index); f("name", self.name); f("kind", self.kind); f("in_shape", self.in_shape);
    f("out_shape", self.out_shape); f("jacobian", self.jacobian); f("baseline_flops", self.baseline_flops);
    f("inputs", self.inputs);
  }
};
/// A synthetic chain of Jacobians.
struct Chain {
  std::string kind = {};  ///< dense, diagonal, banded or uniform; of two in turn both
  std::int64_t length = 0;  ///< Jacobians
  std::int64_t size = 0;  ///< rows of each, as many as columns
  /// diagonals beside the main one to either side; null of those that are not banded
  std::optional<std::int64_t> half_bandwidth = {};
  std::optional<double> density = {};  ///< share of places that have an entry; null of those that are not uniform

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("kind", self.kind); f("length", self.length); f("size", self.size); f("half_bandwidth", self.half_bandwidth);
    f("density", self.density);
  }
};
/// The model, as far as it is not in other fields.
struct Model {
  std::string name = {};  ///< its name
  std::optional<std::vector<std::int64_t>> input = {};  ///< shape of an input, in elements; not of chains
  std::optional<std::vector<Operator>> operators = {};  ///< its operators; of networks alone
  std::optional<std::string> dtype = {};  ///< type of its numbers; of recurrent models alone (fp32, fp64)
  std::optional<Recurrent> recurrent = {};  ///< its layer; of recurrent models alone
  std::optional<Chain> chain = {};  ///< what the chain is made of; of synthetic chains alone
  std::optional<std::int64_t> value_bytes = {};  ///< bytes of a number; of synthetic chains alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("input", self.input); f("operators", self.operators); f("dtype", self.dtype);
    f("recurrent", self.recurrent); f("chain", self.chain); f("value_bytes", self.value_bytes);
  }
};
/// The schedule that was counted.
struct Schedule {
  std::string requested = {};  ///< as it was asked for
  /// its name, linear for a depth of 0; absent, as the next three, of stacks and of passes by blocks
  std::optional<std::string> name = {};
  std::optional<std::int64_t> depth = {};  ///< levels of the up-sweep before the cut; null of other schemes
  std::optional<std::int64_t> length = {};  ///< elements of the scan array
  std::optional<std::int64_t> levels = {};  ///< levels

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("requested", self.requested); f("name", self.name); f("depth", self.depth); f("length", self.length);
    f("levels", self.levels);
  }
};
/// Forming the Jacobian of a block.
struct Formation {
  double products = 0;  ///< matched pairs of entries
  double product_flops = 0;  ///< FLOPs of products
  double additions = 0;  ///< entries that both summands have
  double addition_flops = 0;  ///< FLOPs of additions
  std::int64_t peak_bytes = 0;  ///< bytes of all matrices in use at a time in fp64, of the input that takes most

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("products", self.products); f("product_flops", self.product_flops); f("additions", self.additions);
    f("addition_flops", self.addition_flops); f("peak_bytes", self.peak_bytes);
  }
};
/// A link of the chain: an operator, or a block of a network with branches.
struct Link {
  std::int64_t index = 0;  ///< from 1
  std::string kind = {};  ///< a block is all between two activations through which every path goes (operator, block)
  std::string input = {};  ///< the operator whose output it reads, "input" the network's
  std::vector<std::string> operators = {};  ///< names of its operators
  std::int64_t rows = 0;  ///< rows of its transposed Jacobian
  std::int64_t cols = 0;  ///< columns of that
  double nnz = 0;  ///< entries of that
  double bytes = 0;  ///< bytes of that as CSR
  std::optional<Formation> formation = {};  ///< what forming it takes; null of an operator

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("index", self.index); f("kind", self.kind); f("input", self.input); f("operators", self.operators);
    f("rows", self.rows); f("cols", self.cols); f("nnz", self.nnz); f("bytes", self.bytes);
    f("formation", self.formation);
  }
};
/// A product of the schedule.
struct Op {
  std::int64_t id = 0;  ///< from 0, in the order of execution
  std::string phase = {};  ///< sweep (up, middle, down)
  std::int64_t level = 0;  ///< from 0
  std::int64_t left = 0;  ///< position of the scan array that is read as the left operand, -1 the running reduction
  std::int64_t right = 0;  ///< position that is read as the right one, likewise
  std::int64_t target = 0;  ///< position that is written, likewise
  std::string kind = {};  ///< product of two matrices, or of a matrix with a vector (mm, mv)
  bool dead = false;  ///< whether no result depends on it
  std::int64_t m = 0;  ///< rows of the left operand, (m x k) (k x n)
  std::int64_t k = 0;  ///< its columns
  std::int64_t n = 0;  ///< columns of the right operand, 1 of a vector
  double left_nnz = 0;  ///< entries of the left operand
  double right_nnz = 0;  ///< entries of the right operand
  double nnz = 0;  ///< entries of the result
  double products = 0;  ///< matched pairs of entries
  double flops = 0;  ///< FLOPs, 2 for each pair
  double bytes = 0;  ///< bytes of the result
  double span = 0;  ///< FLOPs one after the other that remain where workers share it
  bool exact = false;  ///< false of an estimate
  std::optional<Interval> interval = {};  ///< 95 % of flops, where they are an estimate; else null
  std::optional<Interval> nnz_interval = {};  ///< 95 % of nnz, where they are an estimate; else null

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("phase", self.phase); f("level", self.level); f("left", self.left); f("right", self.right);
    f("target", self.target); f("kind", self.kind); f("dead", self.dead); f("m", self.m); f("k", self.k);
    f("n", self.n); f("left_nnz", self.left_nnz); f("right_nnz", self.right_nnz); f("nnz", self.nnz);
    f("products", self.products); f("flops", self.flops); f("bytes", self.bytes); f("span", self.span);
    f("exact", self.exact); f("interval", self.interval); f("nnz_interval", self.nnz_interval);
  }
};
/// A level of the schedule, or a run of alike levels of chains and recurrent models.
struct Level {
  std::int64_t level = 0;  ///< from 0; of a run of alike levels the first
  std::string phase = {};  ///< sweep (up, middle, down)
  std::int64_t ops = 0;  ///< ops
  double flops_sum = 0;  ///< FLOPs of all of them
  double flops_max = 0;  ///< FLOPs of the largest
  double span_max = 0;  ///< the largest span of one, FLOPs one after the other that remain where workers share it
  std::optional<std::int64_t> repeat = {};  ///< levels that are alike, or of a cycle all of its levels; not of networks
  std::optional<std::int64_t> mv_ops = {};  ///< ops with a vector; not of networks
  std::optional<std::int64_t> dead_ops = {};  ///< ops whose value no result depends on; not of networks
  std::optional<std::int64_t> nnz = {};  ///< entries of all results; not of networks
  std::optional<std::int64_t> bytes = {};  ///< bytes of all results; not of networks
  /// levels that take turns in the run, the first being this one; absent where all are alike
  std::optional<std::vector<Level>> cycle = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("phase", self.phase); f("ops", self.ops); f("flops_sum", self.flops_sum);
    f("flops_max", self.flops_max); f("span_max", self.span_max); f("repeat", self.repeat); f("mv_ops", self.mv_ops);
    f("dead_ops", self.dead_ops); f("nnz", self.nnz); f("bytes", self.bytes); f("cycle", self.cycle);
  }
};
/// What ops come to.
struct Totals {
  std::int64_t ops = 0;  ///< ops
  double flops = 0;  ///< their FLOPs
  /// `level`: the most expensive op of each level added up; `dag`: the longest chain of ops
  FlopsByExecution critical_path_flops = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("ops", self.ops); f("flops", self.flops); f("critical_path_flops", self.critical_path_flops);
  }
};
/// Totals with and without dead ops.
struct BothTotals {
  Totals all = {};  ///< of all ops, as the paper executes
  Totals live = {};  ///< without those that no result depends on

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("all", self.all); f("live", self.live);
  }
};
/// Plain back-propagation over the same Jacobians.
struct Plain {
  double flops = 0;  ///< its FLOPs
  std::optional<double> makespan_shared = {};  ///< FLOPs of its makespan where workers share ops; not of stacks
  std::optional<double> score = {};  ///< its score; of stacks alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("flops", self.flops); f("makespan_shared", self.makespan_shared); f("score", self.score);
  }
};
/// The schedule on a PRAM; dead ops count.
struct Pram {
  std::int64_t workers = 0;  ///< workers
  std::int64_t steps = 0;  ///< step complexity: levels in steps of the workers
  std::int64_t work = 0;  ///< work complexity: ops
  double per_step_flops = 0;  ///< per-step complexity: FLOPs of the largest op
  MakespanByExecution makespan = {};  ///< on the workers
  double peak_live_bytes = 0;  ///< bytes of the values that are live in a level, at most

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("workers", self.workers); f("steps", self.steps); f("work", self.work); f("per_step_flops", self.per_step_flops);
    f("makespan", self.makespan); f("peak_live_bytes", self.peak_live_bytes);
  }
};
/// Predicted times of an iteration.
struct Time {
  std::optional<std::vector<double>> level_seconds = {};  ///< seconds of each level; of networks alone
  std::string machine = {};  ///< name of the machine
  SecondsByExecution seconds = {};  ///< of the schedule
  /// seconds of building the chain beside it; null where the machine does not tell, and of chains
  std::optional<double> build_seconds = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level_seconds", self.level_seconds); f("machine", self.machine); f("seconds", self.seconds);
    f("build_seconds", self.build_seconds);
  }
};
/// Intervals of 95 % where counts are estimates.
struct Estimate {
  std::optional<Interval> flops_interval = {};  ///< of the FLOPs of all ops
  std::optional<Interval> score_interval = {};  ///< of the score that the verdict compares
  std::optional<Interval> shared_interval = {};  ///< of makespan_shared, in FLOPs

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("flops_interval", self.flops_interval); f("score_interval", self.score_interval);
    f("shared_interval", self.shared_interval);
  }
};
/// An operator's or a module's costs by a convention.
struct Costs {
  std::optional<std::int64_t> parameters = {};  ///< learned numbers; null where not known
  /// multiply-accumulates of the forward pass; null or absent where the convention has none, or it is not known
  std::optional<std::int64_t> forward_macs = {};
  std::optional<std::int64_t> forward_flops = {};  ///< FLOPs of the forward pass; likewise
  std::optional<std::int64_t> input_gradient_flops = {};  ///< FLOPs of gradients of inputs; likewise
  std::optional<std::int64_t> weight_gradient_flops = {};  ///< FLOPs of gradients of weights; likewise
  std::optional<std::int64_t> backward_flops = {};  ///< FLOPs of the backward pass; likewise
  std::optional<std::int64_t> activation_bytes = {};  ///< bytes of activations; likewise

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("parameters", self.parameters); f("forward_macs", self.forward_macs); f("forward_flops", self.forward_flops);
    f("input_gradient_flops", self.input_gradient_flops); f("weight_gradient_flops", self.weight_gradient_flops);
    f("backward_flops", self.backward_flops); f("activation_bytes", self.activation_bytes);
  }
};
/// Costs of the network by a convention.
struct TotalCosts {
  std::string convention = {};  ///< whose (upsweep, torchinfo, fvcore, deepspeed, calculon)
  std::optional<std::int64_t> parameters = {};  ///< learned numbers; null where not known
  /// multiply-accumulates of the forward pass; null or absent where the convention has none, or it is not known
  std::optional<std::int64_t> forward_macs = {};
  std::optional<std::int64_t> forward_flops = {};  ///< FLOPs of the forward pass; likewise
  std::optional<std::int64_t> input_gradient_flops = {};  ///< FLOPs of gradients of inputs; likewise
  std::optional<std::int64_t> weight_gradient_flops = {};  ///< FLOPs of gradients of weights; likewise
  std::optional<std::int64_t> backward_flops = {};  ///< FLOPs of the backward pass; likewise
  std::optional<std::int64_t> activation_bytes = {};  ///< bytes of activations; likewise
  /// operators that the sums leave out, since the convention does not say what they cost
  std::int64_t operators_not_known = 0;

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("convention", self.convention); f("parameters", self.parameters); f("forward_macs", self.forward_macs);
    f("forward_flops", self.forward_flops); f("input_gradient_flops", self.input_gradient_flops);
    f("weight_gradient_flops", self.weight_gradient_flops); f("backward_flops", self.backward_flops);
    f("activation_bytes", self.activation_bytes); f("operators_not_known", self.operators_not_known);
  }
};
/// A convention of counting.
struct Convention {
  std::string name = {};  ///< its name (upsweep, torchinfo, fvcore, deepspeed, calculon)
  std::string rule = {};  ///< what it counts, in sentences
  std::optional<std::string> source = {};  ///< the tool's file and commit that was read; null of upsweep's own
  std::vector<std::string> counts_nothing_of = {};  ///< kinds of operators of this network that it takes for free

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("rule", self.rule); f("source", self.source);
    f("counts_nothing_of", self.counts_nothing_of);
  }
};
/// An operator that a convention does not cover.
struct NotKnown {
  std::string operator_ = {};  ///< its name
  std::string convention = {};  ///< name of the convention
  std::string reason = {};  ///< why its costs are not known

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("operator", self.operator_); f("convention", self.convention); f("reason", self.reason);
  }
};
/// Costs of an operator by each convention that was asked for.
struct OperatorCosts {
  std::string name = {};  ///< its name
  std::string kind = {};  ///< its kind
  std::string module_ = {};  ///< the module it is put into
  std::optional<Costs> upsweep = {};  ///< as upsweep counts; absent where not asked for
  std::optional<Costs> torchinfo = {};  ///< as torchinfo counts; absent where not asked for
  std::optional<Costs> fvcore = {};  ///< as fvcore counts; absent where not asked for
  std::optional<Costs> deepspeed = {};  ///< as DeepSpeed's flops profiler counts; absent where not asked for
  std::optional<Costs> calculon = {};  ///< as Calculon counts; absent where not asked for

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("kind", self.kind); f("module", self.module_); f("upsweep", self.upsweep);
    f("torchinfo", self.torchinfo); f("fvcore", self.fvcore); f("deepspeed", self.deepspeed);
    f("calculon", self.calculon);
  }
};
/// Costs of a module by each convention that was asked for.
struct ModuleCosts {
  std::string name = {};  ///< first parts of the names of its operators
  std::int64_t operators = 0;  ///< how many operators
  std::optional<Costs> upsweep = {};  ///< as upsweep counts; absent where not asked for
  std::optional<Costs> torchinfo = {};  ///< as torchinfo counts; absent where not asked for
  std::optional<Costs> fvcore = {};  ///< as fvcore counts; absent where not asked for
  std::optional<Costs> deepspeed = {};  ///< as DeepSpeed's flops profiler counts; absent where not asked for
  std::optional<Costs> calculon = {};  ///< as Calculon counts; absent where not asked for

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("operators", self.operators); f("upsweep", self.upsweep); f("torchinfo", self.torchinfo);
    f("fvcore", self.fvcore); f("deepspeed", self.deepspeed); f("calculon", self.calculon);
  }
};
/// Parameters, multiply-accumulates, FLOPs and activation bytes as tools count them.
struct NetworkCosts {
  std::int64_t batch = 0;  ///< inputs that costs are of; parameters are not multiplied
  std::int64_t value_bytes = 0;  ///< bytes of a number
  std::int64_t module_depth = 0;  ///< parts of names by which operators are put together
  std::vector<Convention> conventions = {};  ///< those that were asked for; upsweep's where none was
  std::vector<NotKnown> not_known = {};  ///< what is left out of sums
  std::vector<TotalCosts> totals = {};  ///< one for each convention
  std::optional<std::vector<OperatorCosts>> operators = {};  ///< by operator; with --convention alone
  std::optional<std::vector<ModuleCosts>> modules = {};  ///< by module; with --convention alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("batch", self.batch); f("value_bytes", self.value_bytes); f("module_depth", self.module_depth);
    f("conventions", self.conventions); f("not_known", self.not_known); f("totals", self.totals);
    f("operators", self.operators); f("modules", self.modules);
  }
};
/// What was read of an ONNX file.
struct Import {
  std::string format = {};  ///< kind of file (onnx)
  std::int64_t opset = 0;  ///< version of the operators
  std::int64_t operators = 0;  ///< nodes of the file
  std::int64_t counted = 0;  ///< nodes that are operators with a Jacobian, or a part of one
  std::int64_t free = 0;  ///< views, moves, constants, and what the output does not need
  std::vector<std::string> refused = {};  ///< nodes that cannot be read; empty, since such a file is refused

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("format", self.format); f("opset", self.opset); f("operators", self.operators); f("counted", self.counted);
    f("free", self.free); f("refused", self.refused);
  }
};
/// Multiply-accumulates of a forward pass of one input.
struct Macs {
  std::int64_t conv = 0;  ///< of convolutions
  std::int64_t linear = 0;  ///< of linear operators
  std::int64_t matmul = 0;  ///< of products of two activations
  std::int64_t recurrent = 0;  ///< of recurrent layers
  std::int64_t total = 0;  ///< of all

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("conv", self.conv); f("linear", self.linear); f("matmul", self.matmul); f("recurrent", self.recurrent);
    f("total", self.total);
  }
};
/// The forward pass of an ONNX file.
struct Forward {
  Macs macs = {};  ///< multiply-accumulates

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("macs", self.macs);
  }
};
/// Where a way through the stack overtakes the wavefront.
struct StackOvertaking {
  /// the smallest number of workers, up to 2^40, with which a scan is faster in FLOPs where each op runs on one
  std::int64_t workers = 0;
  std::string method = {};  ///< the way
  std::int64_t flops = 0;  ///< FLOPs of its makespan there
  std::int64_t wavefront_flops = 0;  ///< FLOPs of the wavefront's

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("workers", self.workers); f("method", self.method); f("flops", self.flops);
    f("wavefront_flops", self.wavefront_flops);
  }
};
/// The wavefront, plain back-propagation of a stack.
struct Wavefront {
  std::int64_t flops = 0;  ///< its FLOPs

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("flops", self.flops);
  }
};
}  // namespace profile_parts
/// Counts of one schedule, and what they take. Fields that this kind of model does not have are null or absent, as each
/// says.
struct ProfileOutcome {
  std::string kind = {};  ///< kind of model; a stack has several recurrent layers (network, recurrent, chain, stack)
  std::optional<profile_parts::Model> model = {};  ///< the model; null of passes by blocks of recurrent models
  std::string pattern = {};  ///< which entries of Jacobians count (guaranteed, sample)
  std::int64_t inputs = 0;  ///< sample inputs that counts are means over; 1 of the guaranteed pattern
  /// inputs or sequences of an iteration, which makespans, seconds and memory are of; not of passes by blocks
  std::optional<std::int64_t> batch = {};
  /// how kernels of a GPU are started; null without a GPU (eager, graph, fused)
  std::optional<std::string> launch = {};
  bool exact = false;  ///< false where counts are estimates or expectations
  profile_parts::Schedule schedule = {};  ///< what was counted
  std::optional<Counting> counting = {};  ///< how Jacobians were counted; of networks and stacks alone, null of stacks
  std::optional<std::vector<profile_parts::Op>> ops = {};  ///< products of the schedule; of networks alone
  std::optional<std::vector<profile_parts::Link>> links = {};  ///< links of the chain; of networks alone
  /// levels of the schedule; null of stacks and of passes by blocks
  std::optional<std::vector<profile_parts::Level>> levels = {};
  std::optional<profile_parts::BothTotals> totals = {};  ///< what ops come to; null of stacks and of passes by blocks
  std::optional<DenseBaseline> baseline = {};  ///< dense back-propagation; null of passes by blocks
  /// plain back-propagation, of a stack the wavefront; null of passes by blocks
  std::optional<profile_parts::Plain> linear = {};
  std::optional<ChainBuild> chain_build = {};  ///< building the chain; null of passes by blocks
  std::optional<profile_parts::Pram> pram = {};  ///< the schedule on a PRAM; null of stacks and of passes by blocks
  /// FLOPs of the makespan where workers share ops, with barriers; null of stacks and of passes by blocks
  std::optional<double> makespan_shared = {};
  std::optional<double> bound_shared = {};  ///< FLOPs below which no schedule of such ops is; null likewise
  /// predicted seconds; null without a machine, of stacks, and of recurrent models, which have `predicted`
  std::optional<profile_parts::Time> time = {};
  /// the pass as its kernels are predicted; of recurrent models on a machine alone; else null
  std::optional<DevicePrediction> predicted = {};
  /// which backends cannot run it, and why; null of models that are no networks
  std::optional<BackendReasons> feasible_on = {};
  std::optional<BackendNotes> feasible_on_leaves_out = {};  ///< what these reasons do not know; null likewise
  /// intervals of estimates; of networks alone, null where all is counted
  std::optional<profile_parts::Estimate> estimate = {};
  std::optional<GraphWork> graph_bp = {};  ///< plain back-propagation over the graph; of networks alone
  std::optional<GraphWork> inside_blocks = {};  ///< gradients inside blocks; of networks alone
  /// makespans over those of graph_bp, below 1 the scan is faster; of networks alone
  std::optional<GraphRatios> ratio_to_graph_bp = {};
  /// parameters, multiply-accumulates, FLOPs and bytes as tools count them; null of models that are no networks
  std::optional<profile_parts::NetworkCosts> network_costs = {};
  std::optional<profile_parts::Import> import_ = {};  ///< what was read of the file; of ONNX files alone
  std::optional<profile_parts::Forward> forward = {};  ///< the forward pass; of ONNX files alone
  Verdict verdict = {};  ///< whether this schedule pays
  /// what ways are compared by; of stacks alone, as all below (time, critical-flops, work-flops)
  std::optional<std::string> objective = {};
  std::optional<std::string> execution = {};  ///< with barriers after levels, or without (level, dag)
  std::optional<std::string> scope = {};  ///< whether dead ops count (all, live)
  std::optional<std::int64_t> workers = {};  ///< workers
  std::optional<std::string> machine = {};  ///< name of the machine; null, since stacks are priced on no machine
  std::optional<std::string> priced_by = {};  ///< what scores stand on (pram)
  std::optional<std::int64_t> memory_limit = {};  ///< bytes; null without
  std::optional<bool> best_is_proven = {};  ///< whether no way that was left out may be better
  std::optional<double> margin = {};  ///< the runner-up's score over that of the best, less 1; null without a runner-up
  std::optional<double> scheme_margin = {};  ///< the same as margin
  std::optional<bool> scan_pays = {};  ///< whether the best beats the wavefront by `objective`; `verdict` says more
  std::optional<bool> overtaking_looked_for = {};  ///< whether `overtaking` was looked for
  /// where a way overtakes the wavefront; null where none up to 2^40 workers overtakes
  std::optional<profile_parts::StackOvertaking> overtaking = {};
  std::optional<Candidate> best = {};  ///< the best way; null where none fits
  std::optional<Candidate> best_scheme = {};  ///< the same as best, by the names of candidates
  std::optional<std::vector<Candidate>> candidates = {};  ///< every way
  std::optional<std::vector<Candidate>> schemes = {};  ///< empty
  std::optional<std::int64_t> layers = {};  ///< layers of the stack
  std::optional<std::int64_t> steps = {};  ///< length of the sequences
  std::optional<std::int64_t> hidden = {};  ///< elements of a hidden state
  std::optional<std::vector<StackMethod>> methods = {};  ///< every way, with its closed form and its levels
  std::optional<profile_parts::Wavefront> wavefront = {};  ///< plain back-propagation

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("kind", self.kind); f("model", self.model); f("pattern", self.pattern); f("inputs", self.inputs);
    f("batch", self.batch); f("launch", self.launch); f("exact", self.exact); f("schedule", self.schedule);
    f("counting", self.counting); f("ops", self.ops); f("links", self.links); f("levels", self.levels);
    f("totals", self.totals); f("baseline", self.baseline); f("linear", self.linear);
    f("chain_build", self.chain_build); f("pram", self.pram); f("makespan_shared", self.makespan_shared);
    f("bound_shared", self.bound_shared); f("time", self.time); f("predicted", self.predicted);
    f("feasible_on", self.feasible_on); f("feasible_on_leaves_out", self.feasible_on_leaves_out);
    f("estimate", self.estimate); f("graph_bp", self.graph_bp); f("inside_blocks", self.inside_blocks);
    f("ratio_to_graph_bp", self.ratio_to_graph_bp); f("network_costs", self.network_costs); f("import", self.import_);
    f("forward", self.forward); f("verdict", self.verdict); f("objective", self.objective);
    f("execution", self.execution); f("scope", self.scope); f("workers", self.workers); f("machine", self.machine);
    f("priced_by", self.priced_by); f("memory_limit", self.memory_limit); f("best_is_proven", self.best_is_proven);
    f("margin", self.margin); f("scheme_margin", self.scheme_margin); f("scan_pays", self.scan_pays);
    f("overtaking_looked_for", self.overtaking_looked_for); f("overtaking", self.overtaking); f("best", self.best);
    f("best_scheme", self.best_scheme); f("candidates", self.candidates); f("schemes", self.schemes);
    f("layers", self.layers); f("steps", self.steps); f("hidden", self.hidden); f("methods", self.methods);
    f("wavefront", self.wavefront);
  }
};
/// What `upsweep profile` is asked. Count the products of one scan schedule and simulate it on a PRAM.
struct ProfileRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  /// which Jacobian entries count: guaranteed by the architecture, or those at the sample inputs (guaranteed, sample);
  /// default: guaranteed
  std::optional<std::string> pattern = {};
  std::optional<std::int64_t> workers = {};  ///< workers; default: the widest level, or all that a machine has
  /// predict seconds on this machine: a file, or a name that `upsweep machines` lists, as a100-sxm4-80gb
  std::optional<std::string> machine = {};
  /// with the machine file of a GPU: how kernels are started, one by one by the host, as a graph, or as a graph with
  /// one kernel for all ops of a level (eager, graph, fused); default: graph; of validate what the backend does
  std::optional<std::string> launch = {};
  /// with the machine file of a GPU: whose sparse products, of those with rates in it, or roofline: the datasheet's;
  /// default: the first of the file
  std::optional<std::string> library = {};
  /// inputs of an iteration, or sequences; default: 1, of a recurrent model that is run, or predicted on a machine, its
  /// file's
  std::optional<std::int64_t> batch = {};
  /// with --machine: seconds that a scan takes once, planning, graph capture and compiling; says after how many
  /// iterations they are paid back
  std::optional<double> setup = {};
  /// with barriers between levels, or as soon as operands are there; executor and critical-path rule (level, dag);
  /// default: dag; with a batch, with the machine file of a processor or GPU, and of validate level
  std::optional<std::string> execution = {};
  std::optional<std::string> db = {};  ///< store the runs in this SQLite file
  std::optional<std::int64_t> steps = {};  ///< steps instead of those of the file
  std::optional<std::int64_t> hidden = {};  ///< hidden elements instead of those of the file
  /// with --machine: kernels that a step of the forward pass is assumed to have; default 2
  std::optional<std::int64_t> forward_kernels = {};
  /// with --machine: the same of the sequential backward pass; default 2
  std::optional<std::int64_t> backward_kernels = {};
  /// with --machine: least time between two kernel launches in microseconds; default 0
  std::optional<double> host_launch_us = {};
  /// of an ONNX file: the shape of an input with its batch of 1, for dynamic axes, e. g. x=1x3x224x224
  std::vector<std::string> input = {};
  std::optional<std::string> output = {};  ///< of an ONNX file: which output; default: the first
  /// of an ONNX file: take batch normalisations into the convolutions before them; default: on
  std::optional<bool> fold_norms = {};
  /// of an ONNX file: prune its weights, or seeded ones where it has none: magnitude_global=S, magnitude_layer=S,
  /// erk=S, n_m=N:M, per_layer=FILE.csv:COLUMN or per_layer_in_order=FILE.csv:COLUMN
  std::optional<std::string> prune = {};
  /// linear, substitution, blelloch, hybrid:L with an integer L of at least 0, kogge-stone, sklansky, brent-kung,
  /// recursive-doubling, cyclic-reduction, blocked:P with an integer P of at least 1, order:N:... as `search --schemes
  /// optimal` prints it; of a recurrent model linear, blelloch, hybrid:L and, with --machine, blocked:P; of a synthetic
  /// chain linear, blelloch, hybrid:L; default: blelloch; where counting it takes more than some seconds the deepest
  /// hybrid that does not
  std::optional<std::string> schedule = {};
  /// of a network: parameters, multiply-accumulates, FLOPs of the three passes and activation bytes, as upsweep or a
  /// tool counts them, or as all do, side by side; CSV is this table then (upsweep, torchinfo, fvcore, deepspeed,
  /// calculon, all)
  std::optional<std::string> convention = {};
  /// with --convention: to how many parts of their names, which end at dots and slashes, operators are put together;
  /// default: 1
  std::optional<std::int64_t> module_depth = {};
  /// pairs of entries that counting the products of one schedule may go through (64 of them at once where rows are kept
  /// as bits); what takes more is left out, and said; default: 2e+12, about ten minutes on two cores
  std::optional<double> count_limit = {};
  /// memory that the patterns of products may take meanwhile; bytes, or with a unit: 16GB, 16GiB; default: what the
  /// machine has left
  std::optional<std::string> count_memory = {};
  /// estimate schedules whose counting takes more than some seconds (or than --count-limit) from samples of rows, until
  /// half the 95 % interval of their FLOPs is no wider than this: 2% or 0.02
  std::optional<double> estimate = {};
  std::optional<std::int64_t> estimate_seed = {};  ///< of the rows that are drawn; default: 1

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("pattern", pattern);
    all.add("workers", workers);
    all.add("machine", machine);
    all.add("launch", launch);
    all.add("library", library);
    all.add("batch", batch);
    all.add("setup", setup);
    all.add("execution", execution);
    all.add("db", db);
    all.add("steps", steps);
    all.add("hidden", hidden);
    all.add("forward_kernels", forward_kernels);
    all.add("backward_kernels", backward_kernels);
    all.add("host_launch_us", host_launch_us);
    all.add("input", input);
    all.add("output", output);
    all.add("fold_norms", fold_norms);
    all.add("prune", prune);
    all.add("schedule", schedule);
    all.add("convention", convention);
    all.add("module_depth", module_depth);
    all.add("count_limit", count_limit);
    all.add("count_memory", count_memory);
    all.add("estimate", estimate);
    all.add("estimate_seed", estimate_seed);
    return all.json();
  }
};
/// Runs `upsweep profile`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline ProfileOutcome run(const ProfileRequest& request, const Told& told = {}) {
  return json::read<ProfileOutcome>(upsweep::run("profile", request.inputs, request.settings(), told).json());
}

// search

namespace search_parts {
/// The wavefront, plain back-propagation of a stack.
struct Wavefront {
  std::int64_t flops = 0;  ///< its FLOPs

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("flops", self.flops);
  }
};
/// Plain back-propagation over the same Jacobians, of a stack the wavefront.
struct Linear {
  double flops = 0;  ///< its FLOPs, of the whole batch
  double score = 0;  ///< its score: FLOPs, or seconds with a machine

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("flops", self.flops); f("score", self.score);
  }
};
/// Where a scan overtakes plain back-propagation: networks, chains and recurrent models by workers, passes on a machine
/// by steps, stacks by workers and way.
struct Overtaking {
  /// the smallest number of workers with which a scan is faster in FLOPs where each op runs on one; not of passes on a
  /// machine
  std::optional<std::int64_t> workers = {};
  std::optional<std::int64_t> depth = {};  ///< its depth; not of passes on a machine and stacks
  std::optional<std::int64_t> scan_flops = {};  ///< FLOPs of its makespan there; not of passes on a machine and stacks
  /// FLOPs of plain back-propagation there; not of passes on a machine and stacks
  std::optional<std::int64_t> linear_flops = {};
  /// the smallest number of steps at which a scan is faster; of passes on a machine alone
  std::optional<std::int64_t> steps = {};
  std::optional<std::string> schedule = {};  ///< the scan; of passes on a machine alone
  std::optional<std::string> method = {};  ///< the way; of stacks alone
  std::optional<std::int64_t> flops = {};  ///< FLOPs of its makespan there; of stacks alone
  std::optional<std::int64_t> wavefront_flops = {};  ///< FLOPs of the wavefront there; of stacks alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("workers", self.workers); f("depth", self.depth); f("scan_flops", self.scan_flops);
    f("linear_flops", self.linear_flops); f("steps", self.steps); f("schedule", self.schedule);
    f("method", self.method); f("flops", self.flops); f("wavefront_flops", self.wavefront_flops);
  }
};
}  // namespace search_parts
/// Every schedule, scored, and the best. Fields that this kind of model does not have are null or absent, as each says.
struct SearchOutcome {
  std::string model = {};  ///< name of the model
  std::string kind = {};  ///< kind of model; a stack has several recurrent layers (network, recurrent, chain, stack)
  std::string pattern = {};  ///< which entries of Jacobians count (guaranteed, sample)
  bool exact = false;  ///< false where counts are estimates or expectations
  std::optional<Counting> counting = {};  ///< how Jacobians were counted; null of models that are no networks
  std::int64_t inputs = 0;  ///< sample inputs that counts are means over; 1 of the guaranteed pattern
  std::string objective = {};  ///< what is minimised (time, critical-flops, work-flops)
  std::string execution = {};  ///< with barriers after levels, or without (level, dag)
  std::string scope = {};  ///< whether dead ops count (all, live)
  std::int64_t workers = 0;  ///< workers
  std::int64_t batch = 0;  ///< inputs or sequences of an iteration
  std::optional<std::string> machine = {};  ///< name of the machine; null without
  /// how kernels of a GPU are started; null without a GPU (eager, graph, fused)
  std::optional<std::string> launch = {};
  /// what times stand on: unit costs of a PRAM (FLOPs without a machine, too), rates and bandwidth, or models of
  /// kernels (pram, roofline, kernels)
  std::string priced_by = {};
  std::optional<std::int64_t> memory_limit = {};  ///< bytes that live values may take; null without a limit
  bool best_is_proven = false;  ///< whether nothing that was left out may be better
  /// score of the runner-up among depths over that of the best, less 1; null without a runner-up
  std::optional<double> margin = {};
  /// the same among all schedules; null where other schemes were not compared
  std::optional<double> scheme_margin = {};
  bool scan_pays = false;  ///< whether a depth above 0 is better than depth 0 by `objective`; `verdict` says more
  bool overtaking_looked_for = false;  ///< whether `overtaking` was looked for
  /// where a scan overtakes plain back-propagation; null where none was found or looked for
  std::optional<search_parts::Overtaking> overtaking = {};
  search_parts::Linear linear = {};  ///< plain back-propagation
  DenseBaseline baseline = {};  ///< dense back-propagation of the whole batch
  /// the best depth, of a recurrent model on a machine the best pass, of a stack the best way; null where none fits
  std::optional<Candidate> best = {};
  /// the best of all schedules; null where none fits, and where other schemes were not compared
  std::optional<Candidate> best_scheme = {};
  std::vector<Candidate> candidates = {};  ///< every depth, pass or way
  std::optional<std::vector<Candidate>> schemes = {};  ///< every other scheme; null where they were not compared
  Verdict verdict = {};  ///< whether a scan pays
  /// what reasons of feasible_on do not know; null of models that are no networks
  std::optional<BackendNotes> feasible_on_leaves_out = {};
  std::optional<GraphWork> graph_bp = {};  ///< plain back-propagation over the graph; of networks with branches alone
  std::optional<GraphWork> formation = {};  ///< forming the Jacobians of blocks; of networks with branches alone
  std::optional<GraphWork> inside_blocks = {};  ///< gradients inside blocks; of networks with branches alone
  /// makespans of the best of all schedules over those of graph_bp, below 1 it is faster; of networks with branches
  /// alone
  std::optional<GraphRatios> best_scheme_ratio_to_graph_bp = {};
  /// steps up to which other schemes are compared; of recurrent models without a machine alone
  std::optional<std::int64_t> scheme_steps_limit = {};
  /// elements up to which other schemes are compared, null where there is no such limit; of chains alone
  std::optional<std::int64_t> scheme_elements_limit = {};
  /// length of the sequences; of recurrent models on a machine and of stacks alone
  std::optional<std::int64_t> steps = {};
  std::optional<std::int64_t> hidden = {};  ///< elements of a hidden state; likewise
  /// what is assumed of kernels; of recurrent models on a machine alone
  std::optional<DeviceAssumptions> assumptions = {};
  std::optional<DevicePhase> sequential = {};  ///< the sequential backward pass; of recurrent models on a machine alone
  /// steps up to which `overtaking` was looked for; of recurrent models on a machine alone
  std::optional<std::int64_t> overtaking_looked_up_to = {};
  /// where a scan overtakes the sequential pass in one kernel, blocked:1; null where none was found; of recurrent
  /// models on a machine alone
  std::optional<OvertakingSteps> overtaking_one_kernel = {};
  /// steps up to which that was looked for; of recurrent models on a machine alone
  std::optional<std::int64_t> overtaking_one_kernel_looked_up_to = {};
  std::optional<std::int64_t> layers = {};  ///< layers; of stacks alone
  std::optional<std::vector<StackMethod>> methods = {};  ///< every way, with its closed form; of stacks alone
  std::optional<search_parts::Wavefront> wavefront = {};  ///< plain back-propagation; of stacks alone
  std::optional<ChainBuild> chain_build = {};  ///< what is written to build the Jacobians; of stacks alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("kind", self.kind); f("pattern", self.pattern); f("exact", self.exact);
    f("counting", self.counting); f("inputs", self.inputs); f("objective", self.objective);
    f("execution", self.execution); f("scope", self.scope); f("workers", self.workers); f("batch", self.batch);
    f("machine", self.machine); f("launch", self.launch); f("priced_by", self.priced_by);
    f("memory_limit", self.memory_limit); f("best_is_proven", self.best_is_proven); f("margin", self.margin);
    f("scheme_margin", self.scheme_margin); f("scan_pays", self.scan_pays);
    f("overtaking_looked_for", self.overtaking_looked_for); f("overtaking", self.overtaking); f("linear", self.linear);
    f("baseline", self.baseline); f("best", self.best); f("best_scheme", self.best_scheme);
    f("candidates", self.candidates); f("schemes", self.schemes); f("verdict", self.verdict);
    f("feasible_on_leaves_out", self.feasible_on_leaves_out); f("graph_bp", self.graph_bp);
    f("formation", self.formation); f("inside_blocks", self.inside_blocks);
    f("best_scheme_ratio_to_graph_bp", self.best_scheme_ratio_to_graph_bp);
    f("scheme_steps_limit", self.scheme_steps_limit); f("scheme_elements_limit", self.scheme_elements_limit);
    f("steps", self.steps); f("hidden", self.hidden); f("assumptions", self.assumptions);
    f("sequential", self.sequential); f("overtaking_looked_up_to", self.overtaking_looked_up_to);
    f("overtaking_one_kernel", self.overtaking_one_kernel);
    f("overtaking_one_kernel_looked_up_to", self.overtaking_one_kernel_looked_up_to); f("layers", self.layers);
    f("methods", self.methods); f("wavefront", self.wavefront); f("chain_build", self.chain_build);
  }
};
/// What `upsweep search` is asked. Choose the schedule: every hybrid depth and every other scheme scored, the best and
/// why.
struct SearchRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  /// which Jacobian entries count: guaranteed by the architecture, or those at the sample inputs (guaranteed, sample);
  /// default: guaranteed
  std::optional<std::string> pattern = {};
  std::optional<std::int64_t> workers = {};  ///< workers; default: the widest level, or all that a machine has
  /// predict seconds on this machine: a file, or a name that `upsweep machines` lists, as a100-sxm4-80gb
  std::optional<std::string> machine = {};
  /// with the machine file of a GPU: how kernels are started, one by one by the host, as a graph, or as a graph with
  /// one kernel for all ops of a level (eager, graph, fused); default: graph; of validate what the backend does
  std::optional<std::string> launch = {};
  /// with the machine file of a GPU: whose sparse products, of those with rates in it, or roofline: the datasheet's;
  /// default: the first of the file
  std::optional<std::string> library = {};
  /// inputs of an iteration, or sequences; default: 1, of a recurrent model that is run, or predicted on a machine, its
  /// file's
  std::optional<std::int64_t> batch = {};
  /// with --machine: seconds that a scan takes once, planning, graph capture and compiling; says after how many
  /// iterations they are paid back
  std::optional<double> setup = {};
  /// with barriers between levels, or as soon as operands are there; executor and critical-path rule (level, dag);
  /// default: dag; with a batch, with the machine file of a processor or GPU, and of validate level
  std::optional<std::string> execution = {};
  std::optional<std::string> db = {};  ///< store the runs in this SQLite file
  std::optional<std::int64_t> steps = {};  ///< steps instead of those of the file
  std::optional<std::int64_t> hidden = {};  ///< hidden elements instead of those of the file
  /// with --machine: kernels that a step of the forward pass is assumed to have; default 2
  std::optional<std::int64_t> forward_kernels = {};
  /// with --machine: the same of the sequential backward pass; default 2
  std::optional<std::int64_t> backward_kernels = {};
  /// with --machine: least time between two kernel launches in microseconds; default 0
  std::optional<double> host_launch_us = {};
  /// of an ONNX file: the shape of an input with its batch of 1, for dynamic axes, e. g. x=1x3x224x224
  std::vector<std::string> input = {};
  std::optional<std::string> output = {};  ///< of an ONNX file: which output; default: the first
  /// of an ONNX file: take batch normalisations into the convolutions before them; default: on
  std::optional<bool> fold_norms = {};
  /// of an ONNX file: prune its weights, or seeded ones where it has none: magnitude_global=S, magnitude_layer=S,
  /// erk=S, n_m=N:M, per_layer=FILE.csv:COLUMN or per_layer_in_order=FILE.csv:COLUMN
  std::optional<std::string> prune = {};
  std::optional<std::string> objective = {};  ///< what to minimise (time, critical-flops, work-flops); default: time
  /// all schedules, the hybrid depths alone, or all and, of a network, the best order of products that is found (all,
  /// hybrid, optimal); default: all
  std::optional<std::string> schemes = {};
  bool live = false;  ///< leave out dead ops, whose values no result depends on
  /// refuse schedules whose live values take more; bytes, or with a unit as 16GB or 16GiB, or none; default: what the
  /// machine file says
  std::optional<std::string> memory = {};
  /// pairs of entries that counting the products of one schedule may go through (64 of them at once where rows are kept
  /// as bits); what takes more is left out, and said; default: 2e+12, about ten minutes on two cores
  std::optional<double> count_limit = {};
  /// memory that the patterns of products may take meanwhile; bytes, or with a unit: 16GB, 16GiB; default: what the
  /// machine has left
  std::optional<std::string> count_memory = {};
  /// estimate schedules whose counting takes more than some seconds (or than --count-limit) from samples of rows, until
  /// half the 95 % interval of their FLOPs is no wider than this: 2% or 0.02
  std::optional<double> estimate = {};
  std::optional<std::int64_t> estimate_seed = {};  ///< of the rows that are drawn; default: 1

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("pattern", pattern);
    all.add("workers", workers);
    all.add("machine", machine);
    all.add("launch", launch);
    all.add("library", library);
    all.add("batch", batch);
    all.add("setup", setup);
    all.add("execution", execution);
    all.add("db", db);
    all.add("steps", steps);
    all.add("hidden", hidden);
    all.add("forward_kernels", forward_kernels);
    all.add("backward_kernels", backward_kernels);
    all.add("host_launch_us", host_launch_us);
    all.add("input", input);
    all.add("output", output);
    all.add("fold_norms", fold_norms);
    all.add("prune", prune);
    all.add("objective", objective);
    all.add("schemes", schemes);
    all.add("live", live);
    all.add("memory", memory);
    all.add("count_limit", count_limit);
    all.add("count_memory", count_memory);
    all.add("estimate", estimate);
    all.add("estimate_seed", estimate_seed);
    return all.json();
  }
};
/// Runs `upsweep search`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline SearchOutcome run(const SearchRequest& request, const Told& told = {}) {
  return json::read<SearchOutcome>(upsweep::run("search", request.inputs, request.settings(), told).json());
}

// explain

namespace explain_parts {
/// A level of the explained schedule.
struct Level {
  std::int64_t level = 0;  ///< from 0
  std::string phase = {};  ///< sweep, of passes on a machine its phase
  std::int64_t repeat = 0;  ///< levels that are alike
  std::int64_t ops = 0;  ///< ops of all of them
  double flops = 0;  ///< FLOPs of all of them
  double cost = 0;  ///< what they take by the account's rule, in its unit
  double share = 0;  ///< share of the total, from 0 to 1
  /// what they wait for: largest op, span or workers, or a part of the machine; null where nothing does
  std::optional<std::string> binds = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("phase", self.phase); f("repeat", self.repeat); f("ops", self.ops);
    f("flops", self.flops); f("cost", self.cost); f("share", self.share); f("binds", self.binds);
  }
};
/// What one change alone would have to be for the answer to turn.
struct Turn {
  /// number of workers, steps or hidden elements; or factor of the work in products of matrices, of latencies,
  /// bandwidths or arithmetic rates (workers, products, latency, bandwidth, arithmetic, steps, hidden)
  std::string of = {};
  std::optional<double> to = {};  ///< that number or factor; null where nothing that was tried turns it
  bool known = false;  ///< false where looking was given up

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("of", self.of); f("to", self.to); f("known", self.known);
  }
};
/// Where the time goes by one rule.
struct Account {
  /// each op on one worker, ops that workers share, or seconds of a machine (whole, shared, seconds)
  std::string rule = {};
  std::string unit = {};  ///< unit of costs (flops, s)
  double total = 0;  ///< of the explained schedule
  double against = 0;  ///< of the other one
  /// total / against, below 1 the explained one is faster; null where the other takes nothing
  std::optional<double> ratio = {};
  std::vector<Level> levels = {};  ///< of the explained schedule
  std::vector<Turn> turns = {};  ///< what would turn it

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("rule", self.rule); f("unit", self.unit); f("total", self.total); f("against", self.against);
    f("ratio", self.ratio); f("levels", self.levels); f("turns", self.turns);
  }
};
/// Products of matrices of a stack, of dense blocks.
struct Blocks {
  std::int64_t products = 0;  ///< how many
  std::int64_t flops = 0;  ///< their FLOPs

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("products", self.products); f("flops", self.flops);
  }
};
/// A product of two matrices.
struct Product {
  std::int64_t op = 0;  ///< its id, from 0
  std::int64_t level = 0;  ///< its level
  std::int64_t first = 0;  ///< first link of the chain that it covers, from 1, from the input on
  std::int64_t last = 0;  ///< last one
  std::string of = {};  ///< both by name
  double operands_nnz = 0;  ///< entries of both operands together
  double nnz = 0;  ///< entries of the result
  double growth = 0;  ///< nnz / operands_nnz; above 1 it fills in
  double flops = 0;  ///< its FLOPs

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("op", self.op); f("level", self.level); f("first", self.first); f("last", self.last); f("of", self.of);
    f("operands_nnz", self.operands_nnz); f("nnz", self.nnz); f("growth", self.growth); f("flops", self.flops);
  }
};
}  // namespace explain_parts
/// Why a schedule is faster or slower than another.
struct ExplainOutcome {
  std::string model = {};  ///< name of the model
  std::string kind = {};  ///< kind of model (network, recurrent, chain, stack)
  std::string pattern = {};  ///< which entries of Jacobians count (guaranteed, sample)
  std::int64_t inputs = 0;  ///< sample inputs that counts are means over; 1 of the guaranteed pattern
  std::string schedule = {};  ///< the explained schedule, pass or way
  std::string against = {};  ///< what it is compared with
  bool found_by_search = false;  ///< whether no schedule was asked for, so that it is the best scan that search finds
  std::optional<std::string> machine = {};  ///< name of the machine; null without
  /// how kernels of a GPU are started; null without a GPU (eager, graph, fused)
  std::optional<std::string> launch = {};
  std::int64_t workers = 0;  ///< workers
  std::string execution = {};  ///< accounts are of barriers after levels (level)
  std::vector<explain_parts::Account> accounts = {};  ///< without a machine whole and shared, with one seconds
  std::optional<explain_parts::Blocks> blocks = {};  ///< its products of matrices; of stacks alone; else null
  std::vector<std::string> links = {};  ///< names of the links of the chain; empty of models that are no networks
  /// products of two matrices, the most expensive first; empty where they are not told apart
  std::vector<explain_parts::Product> products = {};
  std::vector<std::string> sentences = {};  ///< all of it in words
  Verdict verdict = {};  ///< as `profile` has it

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("kind", self.kind); f("pattern", self.pattern); f("inputs", self.inputs);
    f("schedule", self.schedule); f("against", self.against); f("found_by_search", self.found_by_search);
    f("machine", self.machine); f("launch", self.launch); f("workers", self.workers); f("execution", self.execution);
    f("accounts", self.accounts); f("blocks", self.blocks); f("links", self.links); f("products", self.products);
    f("sentences", self.sentences); f("verdict", self.verdict);
  }
};
/// What `upsweep explain` is asked. Say why one schedule is faster than another: levels, products, what would turn it.
struct ExplainRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  /// which Jacobian entries count: guaranteed by the architecture, or those at the sample inputs (guaranteed, sample);
  /// default: guaranteed
  std::optional<std::string> pattern = {};
  std::optional<std::int64_t> workers = {};  ///< workers; default: the widest level, or all that a machine has
  /// predict seconds on this machine: a file, or a name that `upsweep machines` lists, as a100-sxm4-80gb
  std::optional<std::string> machine = {};
  /// with the machine file of a GPU: how kernels are started, one by one by the host, as a graph, or as a graph with
  /// one kernel for all ops of a level (eager, graph, fused); default: graph; of validate what the backend does
  std::optional<std::string> launch = {};
  /// with the machine file of a GPU: whose sparse products, of those with rates in it, or roofline: the datasheet's;
  /// default: the first of the file
  std::optional<std::string> library = {};
  /// inputs of an iteration, or sequences; default: 1, of a recurrent model that is run, or predicted on a machine, its
  /// file's
  std::optional<std::int64_t> batch = {};
  /// with --machine: seconds that a scan takes once, planning, graph capture and compiling; says after how many
  /// iterations they are paid back
  std::optional<double> setup = {};
  /// with barriers between levels, or as soon as operands are there; executor and critical-path rule (level, dag);
  /// default: dag; with a batch, with the machine file of a processor or GPU, and of validate level
  std::optional<std::string> execution = {};
  std::optional<std::string> db = {};  ///< store the runs in this SQLite file
  std::optional<std::int64_t> steps = {};  ///< steps instead of those of the file
  std::optional<std::int64_t> hidden = {};  ///< hidden elements instead of those of the file
  /// with --machine: kernels that a step of the forward pass is assumed to have; default 2
  std::optional<std::int64_t> forward_kernels = {};
  /// with --machine: the same of the sequential backward pass; default 2
  std::optional<std::int64_t> backward_kernels = {};
  /// with --machine: least time between two kernel launches in microseconds; default 0
  std::optional<double> host_launch_us = {};
  /// the schedule to explain: linear, substitution, blelloch, hybrid:L with an integer L of at least 0, kogge-stone,
  /// sklansky, brent-kung, recursive-doubling, cyclic-reduction, blocked:P with an integer P of at least 1, order:N:...
  /// as `search --schemes optimal` prints it; of a stack of layers also a way's name; default: the best scan that
  /// search finds with the same settings
  std::optional<std::string> schedule = {};
  /// the schedule it is compared with, likewise; linear where not given, of linear the best scan
  std::optional<std::string> against = {};

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("pattern", pattern);
    all.add("workers", workers);
    all.add("machine", machine);
    all.add("launch", launch);
    all.add("library", library);
    all.add("batch", batch);
    all.add("setup", setup);
    all.add("execution", execution);
    all.add("db", db);
    all.add("steps", steps);
    all.add("hidden", hidden);
    all.add("forward_kernels", forward_kernels);
    all.add("backward_kernels", backward_kernels);
    all.add("host_launch_us", host_launch_us);
    all.add("schedule", schedule);
    all.add("against", against);
    return all.json();
  }
};
/// Runs `upsweep explain`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline ExplainOutcome run(const ExplainRequest& request, const Told& told = {}) {
  return json::read<ExplainOutcome>(upsweep::run("explain", request.inputs, request.settings(), told).json());
}

// formula

namespace formula_parts {
/// Height and width, in pixels.
using Size = std::array<std::int64_t, 2>;
/// Coefficients of the polynomial, before it is divided.
struct Coefficients {
  std::int64_t c_1 = 0;  ///< the constant
  std::int64_t h = 0;  ///< of the height
  std::int64_t w = 0;  ///< of the width
  std::int64_t hw = 0;  ///< of their product

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("1", self.c_1); f("h", self.h); f("w", self.w); f("hw", self.hw);
  }
};
/// A count as a polynomial.
struct Formula {
  std::string of = {};  ///< operator, op or total that it is of
  std::string what = {};  ///< which count of it: nnz, flops, baseline_flops, live_flops, ...
  std::optional<std::string> formula = {};  ///< the polynomial as text; null, as the next three, where none was found
  std::optional<Coefficients> coefficients = {};  ///< its coefficients
  std::optional<std::int64_t> divisor = {};  ///< what their sum is divided by
  std::optional<Size> from = {};  ///< smallest image from which on it holds
  /// compared with counts at other sizes; derived: of a critical path, from the formulas of its ops; or not found
  /// (checked, derived, none found)
  std::string status = {};
  std::int64_t checks = 0;  ///< sizes that it was compared with, beside those that it is made from

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("of", self.of); f("what", self.what); f("formula", self.formula); f("coefficients", self.coefficients);
    f("divisor", self.divisor); f("from", self.from); f("status", self.status); f("checks", self.checks);
  }
};
/// Formulas of images of one residue modulo `step`.
struct Residue {
  Size residue = {};  ///< height and width modulo step
  Size smallest = {};  ///< smallest image that the network takes
  Size largest_counted = {};  ///< largest image that was counted
  std::int64_t sizes_counted = 0;  ///< how many were
  std::vector<Formula> formulas = {};  ///< of operators, ops and totals

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("residue", self.residue); f("smallest", self.smallest); f("largest_counted", self.largest_counted);
    f("sizes_counted", self.sizes_counted); f("formulas", self.formulas);
  }
};
}  // namespace formula_parts
/// Counts of a network as polynomials of the height and width of its image, guaranteed pattern.
struct FormulaOutcome {
  std::string model = {};  ///< name of the model
  std::string axis = {};  ///< what formulas are of (image)
  std::optional<std::string> schedule = {};  ///< what was counted; null without residues
  std::optional<std::int64_t> step = {};  ///< accumulated stride, pixels; null without residues
  std::vector<formula_parts::Residue> residues = {};  ///< those that were asked for

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("axis", self.axis); f("schedule", self.schedule); f("step", self.step);
    f("residues", self.residues);
  }
};
/// What `upsweep formula` is asked. Give the counts of a network as polynomials of its image's height and width.
struct FormulaRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  std::optional<std::string> axis = {};  ///< what formulas are of (image)
  /// linear, substitution, blelloch, hybrid:L with an integer L of at least 0, kogge-stone, sklansky, brent-kung,
  /// recursive-doubling, cyclic-reduction, blocked:P with an integer P of at least 1, order:N:... as `search --schemes
  /// optimal` prints it; default: linear
  std::optional<std::string> schedule = {};
  /// R or RxC of height and width modulo the accumulated stride, or all: those that are the same for both; default:
  /// that of the model's own image
  std::optional<std::string> residue = {};
  std::optional<std::string> largest = {};  ///< no image that is counted is higher or wider; default: 4096
  /// pairs of entries that counting the products of one schedule may go through (64 of them at once where rows are kept
  /// as bits); what takes more is left out, and said; default: 2e+12, about ten minutes on two cores
  std::optional<double> count_limit = {};
  /// memory that the patterns of products may take meanwhile; bytes, or with a unit: 16GB, 16GiB; default: what the
  /// machine has left
  std::optional<std::string> count_memory = {};

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("axis", axis);
    all.add("schedule", schedule);
    all.add("residue", residue);
    all.add("largest", largest);
    all.add("count_limit", count_limit);
    all.add("count_memory", count_memory);
    return all.json();
  }
};
/// Runs `upsweep formula`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline FormulaOutcome run(const FormulaRequest& request, const Told& told = {}) {
  return json::read<FormulaOutcome>(upsweep::run("formula", request.inputs, request.settings(), told).json());
}

// import

/// The model file that was written.
struct ImportOutcome {
  std::string model = {};  ///< its path
  std::string arrays = {};  ///< path of the file of its weights
  std::int64_t operators = 0;  ///< operators of the network
  std::int64_t bytes = 0;  ///< bytes of the weights' file

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("arrays", self.arrays); f("operators", self.operators); f("bytes", self.bytes);
  }
};
/// What `upsweep import` is asked. Write a network of an ONNX file as a model file with its weights.
struct ImportRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  std::optional<std::string> out = {};  ///< the model file to write: a name that ends with .yaml
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
  /// of an ONNX file: the shape of an input with its batch of 1, for dynamic axes, e. g. x=1x3x224x224
  std::vector<std::string> input = {};
  std::optional<std::string> output = {};  ///< of an ONNX file: which output; default: the first
  /// of an ONNX file: take batch normalisations into the convolutions before them; default: on
  std::optional<bool> fold_norms = {};
  /// of an ONNX file: prune its weights, or seeded ones where it has none: magnitude_global=S, magnitude_layer=S,
  /// erk=S, n_m=N:M, per_layer=FILE.csv:COLUMN or per_layer_in_order=FILE.csv:COLUMN
  std::optional<std::string> prune = {};

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("out", out);
    all.add("force", force);
    all.add("input", input);
    all.add("output", output);
    all.add("fold_norms", fold_norms);
    all.add("prune", prune);
    return all.json();
  }
};
/// Runs `upsweep import`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline ImportOutcome run(const ImportRequest& request, const Told& told = {}) {
  return json::read<ImportOutcome>(upsweep::run("import", request.inputs, request.settings(), told).json());
}

// validate

namespace validate_parts {
/// What is planned once.
struct Plan {
  double seconds = 0;  ///< measured seconds
  std::int64_t bytes = 0;  ///< bytes of the plan

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("seconds", self.seconds); f("bytes", self.bytes);
  }
};
/// Values of all results beside those in double precision.
struct Values {
  std::int64_t elements = 0;  ///< values that were compared
  double worst_share_of_bound = 0;  ///< the largest difference over its rounding bound; above 1 is a mismatch
  double worst_relative_error = 0;  ///< the largest relative difference
  double loosest_relative_bound = 0;  ///< the largest relative bound

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("elements", self.elements); f("worst_share_of_bound", self.worst_share_of_bound);
    f("worst_relative_error", self.worst_relative_error); f("loosest_relative_bound", self.loosest_relative_bound);
  }
};
/// A level that ran.
struct Level {
  std::int64_t level = 0;  ///< from 0
  std::string phase = {};  ///< sweep (up, middle, down)
  std::int64_t ops = 0;  ///< ops
  std::int64_t flops_sum = 0;  ///< their FLOPs
  std::optional<double> predicted_s = {};  ///< predicted seconds; null without a machine
  double measured_s = 0;  ///< seconds, the median
  std::optional<double> error = {};  ///< predicted / measured - 1; null without a prediction, and where it took no time

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("phase", self.phase); f("ops", self.ops); f("flops_sum", self.flops_sum);
    f("predicted_s", self.predicted_s); f("measured_s", self.measured_s); f("error", self.error);
  }
};
/// A product that ran.
struct Op {
  std::int64_t id = 0;  ///< from 0
  std::int64_t nnz = 0;  ///< entries of its result, counted by the backend
  std::int64_t products = 0;  ///< matched pairs of entries, counted by the backend
  std::int64_t flops = 0;  ///< FLOPs, 2 for each pair
  std::optional<double> predicted_alone_s = {};  ///< seconds with the machine to itself; null without a machine
  double measured_busy_s = 0;  ///< seconds, added up over the workers that had a part of it

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("nnz", self.nnz); f("products", self.products); f("flops", self.flops);
    f("predicted_alone_s", self.predicted_alone_s); f("measured_busy_s", self.measured_busy_s);
  }
};
/// A schedule of a network; without the fields from measured_s on where it did not run.
struct Schedule {
  std::string schedule = {};  ///< its name
  std::optional<std::int64_t> depth = {};  ///< levels of the up-sweep before the cut; null of other schemes
  std::int64_t flops = 0;  ///< FLOPs of all ops
  std::optional<std::string> skipped = {};  ///< why it did not run; null where it did
  std::optional<std::string> failed = {};  ///< what failed; null where nothing did
  std::optional<double> predicted_s = {};  ///< predicted seconds of an iteration; null without a machine
  std::optional<double> measured_s = {};  ///< seconds of an iteration, the median
  std::optional<double> error = {};  ///< predicted / measured - 1; null without a prediction
  std::optional<double> fastest_s = {};  ///< seconds of the fastest iteration
  std::optional<std::int64_t> repetitions = {};  ///< iterations that were measured
  std::optional<Plan> plan = {};  ///< what was planned once
  std::optional<std::int64_t> value_bytes = {};  ///< bytes of all values
  std::optional<std::int64_t> workspace_bytes = {};  ///< bytes of workspaces
  std::optional<std::string> mismatch = {};  ///< what is wrong; null: structure, counts and values are right
  std::optional<std::int64_t> mismatch_op = {};  ///< id of the first op that is wrong; null without
  std::optional<Values> values = {};  ///< how near values are
  std::optional<std::vector<Level>> levels = {};  ///< its levels
  std::optional<std::vector<Op>> ops = {};  ///< its ops
  std::optional<std::vector<std::string>> notes = {};  ///< remarks of the backend

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("schedule", self.schedule); f("depth", self.depth); f("flops", self.flops); f("skipped", self.skipped);
    f("failed", self.failed); f("predicted_s", self.predicted_s); f("measured_s", self.measured_s);
    f("error", self.error); f("fastest_s", self.fastest_s); f("repetitions", self.repetitions); f("plan", self.plan);
    f("value_bytes", self.value_bytes); f("workspace_bytes", self.workspace_bytes); f("mismatch", self.mismatch);
    f("mismatch_op", self.mismatch_op); f("values", self.values); f("levels", self.levels); f("ops", self.ops);
    f("notes", self.notes);
  }
};
/// Building the chain of Jacobians, in each iteration.
struct Build {
  std::optional<double> predicted_s = {};  ///< predicted seconds; null where the machine does not tell
  std::optional<double> measured_s = {};  ///< measured seconds; null where nothing ran

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("predicted_s", self.predicted_s); f("measured_s", self.measured_s);
  }
};
/// Errors of predictions.
struct Errors {
  ErrorFigures end_to_end = {};  ///< of iterations
  ErrorFigures levels = {};  ///< of levels

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("end_to_end", self.end_to_end); f("levels", self.levels);
  }
};
/// Dense back-propagation on this processor; null what was not measured.
struct DenseBp {
  std::optional<std::string> skipped = {};  ///< why it did not run; null where it did
  std::string library = {};  ///< whose kernels (OpenBLAS)
  std::optional<double> measured_s = {};  ///< seconds of the gradients of activations
  std::optional<double> predicted_s = {};  ///< predicted seconds; null without a machine or its dense rates
  std::optional<double> error = {};  ///< predicted / measured - 1; null where one is missing
  std::optional<double> weight_gradients_s = {};  ///< seconds of the gradients of weights, not in measured_s
  std::optional<double> weight_gradients_share = {};  ///< their share of both, from 0 to 1
  std::optional<std::int64_t> kernels = {};  ///< kernels that ran
  std::optional<std::vector<double>> kernel_s = {};  ///< seconds of each operator, in the order of the network
  std::optional<std::int64_t> threads = {};  ///< threads
  std::optional<std::int64_t> repetitions = {};  ///< repetitions

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("skipped", self.skipped); f("library", self.library); f("measured_s", self.measured_s);
    f("predicted_s", self.predicted_s); f("error", self.error); f("weight_gradients_s", self.weight_gradients_s);
    f("weight_gradients_share", self.weight_gradients_share); f("kernels", self.kernels); f("kernel_s", self.kernel_s);
    f("threads", self.threads); f("repetitions", self.repetitions);
  }
};
/// Plain back-propagation over the graph on this processor; null what was not measured.
struct GraphBp {
  std::optional<std::string> skipped = {};  ///< why it did not run; null where it did
  std::optional<double> measured_s = {};  ///< seconds
  std::optional<double> build_s = {};  ///< seconds of its Jacobians
  std::optional<std::int64_t> repetitions = {};  ///< repetitions
  std::optional<std::int64_t> threads = {};  ///< threads
  std::optional<std::int64_t> levels = {};  ///< levels
  std::optional<std::int64_t> flops = {};  ///< its FLOPs
  std::optional<std::int64_t> input_flops = {};  ///< of these, for the gradient of the input
  std::optional<std::string> mismatch = {};  ///< what is wrong; null where nothing is
  std::optional<double> worst_share_of_bound = {};  ///< the largest difference over its rounding bound

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("skipped", self.skipped); f("measured_s", self.measured_s); f("build_s", self.build_s);
    f("repetitions", self.repetitions); f("threads", self.threads); f("levels", self.levels); f("flops", self.flops);
    f("input_flops", self.input_flops); f("mismatch", self.mismatch);
    f("worst_share_of_bound", self.worst_share_of_bound);
  }
};
/// Gradients beside those in double precision.
struct Compared {
  std::int64_t elements = 0;  ///< how many
  std::int64_t unbounded = 0;  ///< of these without a finite bound, only known to be finite
  /// the largest difference over its rounding bound; null where none is finite
  std::optional<double> worst_share_of_bound = {};
  std::optional<double> worst_relative_error = {};  ///< the largest relative difference; null likewise
  std::optional<std::string> mismatch = {};  ///< what is wrong; null where nothing is

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("elements", self.elements); f("unbounded", self.unbounded); f("worst_share_of_bound", self.worst_share_of_bound);
    f("worst_relative_error", self.worst_relative_error); f("mismatch", self.mismatch);
  }
};
/// Hidden states beside those in double precision.
struct States {
  std::int64_t elements = 0;  ///< how many
  std::int64_t unbounded = 0;  ///< of these without a finite bound, only known to be finite
  /// the largest difference over its rounding bound; null where none is finite
  std::optional<double> worst_share_of_bound = {};
  std::optional<std::string> mismatch = {};  ///< what is wrong; null where nothing is

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("elements", self.elements); f("unbounded", self.unbounded); f("worst_share_of_bound", self.worst_share_of_bound);
    f("mismatch", self.mismatch);
  }
};
/// Forward pass and parameter gradients of a backend; without the fields from forward_s on where they did not run.
struct Outer {
  std::string backend = {};  ///< which
  std::optional<std::string> failed = {};  ///< why they did not run; null where they did
  std::optional<double> forward_s = {};  ///< seconds of the forward pass
  std::optional<double> parameters_s = {};  ///< seconds of the gradients of parameters; null where the backend has none
  std::optional<States> states = {};  ///< how near hidden states are
  std::optional<std::vector<std::string>> notes = {};  ///< remarks

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("backend", self.backend); f("failed", self.failed); f("forward_s", self.forward_s);
    f("parameters_s", self.parameters_s); f("states", self.states); f("notes", self.notes);
  }
};
/// What each phase waits for by the prediction.
struct Bounds {
  std::string jacobians = {};  ///< of forming Jacobians (nothing, arithmetic, memory, latency)
  std::string up = {};  ///< of the up-sweep (nothing, arithmetic, memory, latency)
  std::string middle = {};  ///< of what lies between (nothing, arithmetic, memory, latency)
  std::string down = {};  ///< of the down-sweep (nothing, arithmetic, memory, latency)

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("jacobians", self.jacobians); f("up", self.up); f("middle", self.middle); f("down", self.down);
  }
};
/// FLOPs of a pass of the batch.
struct Flops {
  std::int64_t jacobians = 0;  ///< of forming Jacobians
  std::int64_t up = 0;  ///< of the up-sweep
  std::int64_t middle = 0;  ///< between the sweeps
  std::int64_t down = 0;  ///< of the down-sweep, or of a sequential pass
  std::int64_t total = 0;  ///< of all

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("jacobians", self.jacobians); f("up", self.up); f("middle", self.middle); f("down", self.down);
    f("total", self.total);
  }
};
/// A backward pass of a recurrent model; without the fields from measured_s on where it did not run.
struct Pass {
  std::string method = {};  ///< bptt, linear, hybrid:L, blelloch or blocked:P[:F]
  std::string backend = {};  ///< where it ran
  std::optional<std::string> failed = {};  ///< why it did not run; null where it did
  std::optional<double> predicted_s = {};  ///< predicted seconds; null without a prediction
  std::optional<ScanSeconds> predicted = {};  ///< the same by phase; absent without a prediction
  std::optional<Bounds> bound = {};  ///< what each phase waits for; absent without a prediction
  std::optional<double> measured_s = {};  ///< seconds, the median
  std::optional<ScanSeconds> measured = {};  ///< the same by phase
  std::optional<double> error = {};  ///< predicted / measured - 1; null without a prediction
  std::optional<double> fastest_s = {};  ///< seconds of the fastest repetition
  std::optional<std::int64_t> repetitions = {};  ///< repetitions
  std::optional<double> ratio_to_baseline = {};  ///< seconds over those of the first pass, below 1 is faster
  std::optional<double> speedup_over_baseline = {};  ///< the inverse of ratio_to_baseline, above 1 is faster
  /// the same with forward pass and parameter gradients; null where these did not run
  std::optional<double> iteration_ratio = {};
  std::optional<Flops> flops = {};  ///< its FLOPs
  std::optional<std::int64_t> bytes = {};  ///< bytes that it holds
  std::optional<double> plan_s = {};  ///< seconds of planning, once
  /// whether it gives the gradients of all steps; else of the first state alone
  std::optional<bool> all_hidden_gradients = {};
  std::optional<Compared> hidden_gradients = {};  ///< gradients of hidden states
  std::optional<Compared> parameter_gradients = {};  ///< gradients of parameters; null without all hidden ones
  std::optional<std::vector<std::string>> notes = {};  ///< remarks

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("method", self.method); f("backend", self.backend); f("failed", self.failed); f("predicted_s", self.predicted_s);
    f("predicted", self.predicted); f("bound", self.bound); f("measured_s", self.measured_s);
    f("measured", self.measured); f("error", self.error); f("fastest_s", self.fastest_s);
    f("repetitions", self.repetitions); f("ratio_to_baseline", self.ratio_to_baseline);
    f("speedup_over_baseline", self.speedup_over_baseline); f("iteration_ratio", self.iteration_ratio);
    f("flops", self.flops); f("bytes", self.bytes); f("plan_s", self.plan_s);
    f("all_hidden_gradients", self.all_hidden_gradients); f("hidden_gradients", self.hidden_gradients);
    f("parameter_gradients", self.parameter_gradients); f("notes", self.notes);
  }
};
/// How far gradients reach.
struct LargestGradient {
  double last_state = 0;  ///< the largest absolute gradient at the last state
  double first_state = 0;  ///< the largest absolute gradient at the first state
  std::int64_t normal_states = 0;  ///< states at which it is a normal number of the type

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("last_state", self.last_state); f("first_state", self.first_state); f("normal_states", self.normal_states);
  }
};
}  // namespace validate_parts
/// Schedules of a network, or passes of a recurrent model, that ran. What only one of them has is absent of the other.
struct ValidateOutcome {
  json::Text model = {};  ///< of a network its name, of a recurrent model the model
  std::string backend = {};  ///< what ran
  std::string device = {};  ///< what it ran on
  std::string driver = {};  ///< system or driver
  std::int64_t workers = 0;  ///< threads
  json::Text loss = {};  ///< of a network what its loss gradient is, of a recurrent model the loss
  std::optional<Payback> payback = {};  ///< after how many iterations planning is paid back; null where no scan pays
  std::optional<bool> valid = {};  ///< whether all that was compared is right; null where nothing was
  Verdict verdict = {};  ///< whether the fastest scan pays
  /// which entries of Jacobians count; of networks alone, as all down to dense_bp (guaranteed, sample)
  std::optional<std::string> pattern = {};
  std::optional<std::int64_t> input = {};  ///< input of the model's sample, from 0
  std::optional<std::string> dtype = {};  ///< type of numbers (fp32, fp64)
  std::optional<std::string> execution = {};  ///< with barriers after levels, or without (level, dag)
  std::optional<std::string> machine = {};  ///< the machine that predicts; null without
  /// how kernels of a GPU are started; null without a GPU (eager, graph, fused)
  std::optional<std::string> launch = {};
  std::optional<std::vector<validate_parts::Schedule>> schedules = {};  ///< what ran
  std::optional<validate_parts::Build> chain_build = {};  ///< building the chain, not in the times of schedules
  std::optional<validate_parts::Errors> errors = {};  ///< errors of predictions
  /// Spearman's rank correlation of predicted and measured times, from -1 to 1; null with fewer than two
  std::optional<double> rank_agreement = {};
  /// how much longer the predicted choice takes than the fastest, over the fastest; null without a prediction
  std::optional<double> regret = {};
  /// the schedule that is predicted fastest; null without a prediction
  std::optional<std::string> predicted_best = {};
  std::optional<std::string> measured_best = {};  ///< the fastest schedule; null where none ran
  /// dense back-propagation on this processor; null where it was not asked for, as of other backends
  std::optional<validate_parts::DenseBp> dense_bp = {};
  /// plain back-propagation over the graph; of networks with branches alone
  std::optional<validate_parts::GraphBp> graph_bp = {};
  std::optional<std::string> sequences = {};  ///< what ran through it; of recurrent models alone, as all below
  std::optional<double> forward_s = {};  ///< seconds of the forward pass
  std::optional<double> predicted_forward_s = {};  ///< predicted; null without a prediction
  std::optional<double> parameters_s = {};  ///< seconds of the gradients of parameters; null where the backend has none
  std::optional<double> predicted_parameters_s = {};  ///< predicted; null without a prediction
  /// backends that ran forward pass and parameter gradients
  std::optional<std::vector<validate_parts::Outer>> outer = {};
  std::optional<double> oracle_s = {};  ///< seconds of the gradients in double precision with their bounds
  /// seconds of the first pass at the end over those at the beginning; null where it did not run
  std::optional<double> drift = {};
  std::optional<double> rates_drift = {};  ///< the same of what rates were measured with; null without a prediction
  std::optional<validate_parts::LargestGradient> largest_gradient = {};  ///< how far gradients reach
  std::optional<std::string> baseline = {};  ///< the first pass, which ratios are to
  std::optional<std::vector<validate_parts::Pass>> passes = {};  ///< what ran

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("backend", self.backend); f("device", self.device); f("driver", self.driver);
    f("workers", self.workers); f("loss", self.loss); f("payback", self.payback); f("valid", self.valid);
    f("verdict", self.verdict); f("pattern", self.pattern); f("input", self.input); f("dtype", self.dtype);
    f("execution", self.execution); f("machine", self.machine); f("launch", self.launch);
    f("schedules", self.schedules); f("chain_build", self.chain_build); f("errors", self.errors);
    f("rank_agreement", self.rank_agreement); f("regret", self.regret); f("predicted_best", self.predicted_best);
    f("measured_best", self.measured_best); f("dense_bp", self.dense_bp); f("graph_bp", self.graph_bp);
    f("sequences", self.sequences); f("forward_s", self.forward_s); f("predicted_forward_s", self.predicted_forward_s);
    f("parameters_s", self.parameters_s); f("predicted_parameters_s", self.predicted_parameters_s);
    f("outer", self.outer); f("oracle_s", self.oracle_s); f("drift", self.drift); f("rates_drift", self.rates_drift);
    f("largest_gradient", self.largest_gradient); f("baseline", self.baseline); f("passes", self.passes);
  }
};
/// What `upsweep validate` is asked. Run schedules for real; prove gradients and counts right; predicted beside
/// measured time.
struct ValidateRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  /// which Jacobian entries count: guaranteed by the architecture, or those at the sample inputs (guaranteed, sample);
  /// default: guaranteed
  std::optional<std::string> pattern = {};
  std::optional<std::int64_t> workers = {};  ///< workers; default: the widest level, or all that a machine has
  /// predict seconds on this machine: a file, or a name that `upsweep machines` lists, as a100-sxm4-80gb
  std::optional<std::string> machine = {};
  /// with the machine file of a GPU: how kernels are started, one by one by the host, as a graph, or as a graph with
  /// one kernel for all ops of a level (eager, graph, fused); default: graph; of validate what the backend does
  std::optional<std::string> launch = {};
  /// with the machine file of a GPU: whose sparse products, of those with rates in it, or roofline: the datasheet's;
  /// default: the first of the file
  std::optional<std::string> library = {};
  /// inputs of an iteration, or sequences; default: 1, of a recurrent model that is run, or predicted on a machine, its
  /// file's
  std::optional<std::int64_t> batch = {};
  /// with --machine: seconds that a scan takes once, planning, graph capture and compiling; says after how many
  /// iterations they are paid back
  std::optional<double> setup = {};
  /// with barriers between levels, or as soon as operands are there; executor and critical-path rule (level, dag);
  /// default: dag; with a batch, with the machine file of a processor or GPU, and of validate level
  std::optional<std::string> execution = {};
  std::optional<std::string> db = {};  ///< store the runs in this SQLite file
  std::optional<std::int64_t> steps = {};  ///< steps instead of those of the file
  std::optional<std::int64_t> hidden = {};  ///< hidden elements instead of those of the file
  /// what runs the schedule (reference, cpu, eigen, cuda, cusparse, cusparse-reuse, cudnn, cudnn-standard); default:
  /// cpu
  std::optional<std::string> backend = {};
  /// linear, substitution, blelloch, hybrid:L with an integer L of at least 0, kogge-stone, sklansky, brent-kung,
  /// recursive-doubling, cyclic-reduction, blocked:P with an integer P of at least 1, order:N:... as `search --schemes
  /// optimal` prints it; of a recurrent model linear, blelloch, hybrid:L, blocked:P[:F] and bptt, several separated by
  /// commas; its default is blelloch and three blocked ones; default: blelloch
  std::optional<std::string> schedule = {};
  bool all_depths = false;  ///< every hybrid depth
  bool all_schedules = false;  ///< every hybrid depth and every other scheme, as in search
  /// which input of the model's sample, from 0 (the default); of an ONNX file: the shape of an input with its batch of
  /// 1, for dynamic axes, e. g. x=1x3x224x224
  std::vector<std::string> input = {};
  std::optional<std::string> output = {};  ///< of an ONNX file: which output; default: the first
  /// of an ONNX file: take batch normalisations into the convolutions before them; default: on
  std::optional<bool> fold_norms = {};
  /// of an ONNX file: prune its weights, or seeded ones where it has none: magnitude_global=S, magnitude_layer=S,
  /// erk=S, n_m=N:M, per_layer=FILE.csv:COLUMN or per_layer_in_order=FILE.csv:COLUMN
  std::optional<std::string> prune = {};
  std::optional<std::int64_t> label = {};  ///< loss gradient of softmax cross-entropy for this class, from 0
  std::optional<std::int64_t> loss_seed = {};  ///< seed of the standard normal loss gradient; default: 1
  /// write the gradient of the network's input here, for comparisons with other programs
  std::optional<std::string> gradient = {};
  bool no_prediction = false;  ///< run at once, without measuring rates to predict from
  /// run what exceeds 2e10 FLOPs or 8 GiB of live values, too, and replace a file of --gradient that upsweep did not
  /// write
  bool force = false;

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("pattern", pattern);
    all.add("workers", workers);
    all.add("machine", machine);
    all.add("launch", launch);
    all.add("library", library);
    all.add("batch", batch);
    all.add("setup", setup);
    all.add("execution", execution);
    all.add("db", db);
    all.add("steps", steps);
    all.add("hidden", hidden);
    all.add("backend", backend);
    all.add("schedule", schedule);
    all.add("all_depths", all_depths);
    all.add("all_schedules", all_schedules);
    all.add("input", input);
    all.add("output", output);
    all.add("fold_norms", fold_norms);
    all.add("prune", prune);
    all.add("label", label);
    all.add("loss_seed", loss_seed);
    all.add("gradient", gradient);
    all.add("no_prediction", no_prediction);
    all.add("force", force);
    return all.json();
  }
};
/// Runs `upsweep validate`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline ValidateOutcome run(const ValidateRequest& request, const Told& told = {}) {
  return json::read<ValidateOutcome>(upsweep::run("validate", request.inputs, request.settings(), told).json());
}

// solve

namespace solve_parts {
/// A block of unknowns.
struct Block {
  std::string operator_ = {};  ///< the operator whose output it is the gradient of
  std::int64_t size = 0;  ///< unknowns
  std::int64_t link_nnz = 0;  ///< entries of the Jacobian that couples it with the next block; 0 of the last
  std::int64_t scaling_nnz = 0;  ///< entries of activations' slopes that scale it
  std::int64_t flops = 0;  ///< FLOPs of the product of its row, 2 for each of these entries

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("operator", self.operator_); f("size", self.size); f("link_nnz", self.link_nnz);
    f("scaling_nnz", self.scaling_nnz); f("flops", self.flops);
  }
};
/// The triangular system.
struct System {
  std::string form = {};  ///< activations on the diagonal, or as blocks of their own (scaled, unit)
  std::int64_t couplings = 0;  ///< couplings between blocks
  std::int64_t unknowns = 0;  ///< unknowns of all blocks
  std::int64_t link_nnz = 0;  ///< entries of all couplings
  std::int64_t flops = 0;  ///< FLOPs of the product of all rows, those of plain back-propagation
  std::vector<Block> blocks = {};  ///< from the input on; the gradient of the network's input is none

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("form", self.form); f("couplings", self.couplings); f("unknowns", self.unknowns); f("link_nnz", self.link_nnz);
    f("flops", self.flops); f("blocks", self.blocks);
  }
};
/// A sweep of approximate forward propagation.
struct Sweep {
  std::int64_t sweep = 0;  ///< from 1
  std::optional<double> error = {};  ///< largest error of the output over its largest element; null where not finite
  /// the same of the output of each operator; null where not finite
  std::vector<std::optional<double>> operator_errors = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("sweep", self.sweep); f("error", self.error); f("operator_errors", self.operator_errors);
  }
};
/// Forward propagation as a system.
struct Forward {
  std::string start = {};  ///< where D comes from
  /// sweeps from which on the error stays within the tolerance; null where it never does
  std::optional<std::int64_t> needed = {};
  std::int64_t bound = 0;  ///< sweeps after which the output is exact by structure
  std::vector<std::int64_t> until_exact = {};  ///< the same of each operator
  std::int64_t flops_per_sweep = 0;  ///< FLOPs of a sweep
  std::int64_t plain_flops = 0;  ///< FLOPs of plain forward propagation
  std::int64_t evaluations_per_sweep = 0;  ///< activations that a sweep evaluates
  std::int64_t divisions_per_sweep = 0;  ///< divisions of a sweep
  std::vector<Sweep> sweeps = {};  ///< what each came to

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("start", self.start); f("needed", self.needed); f("bound", self.bound); f("until_exact", self.until_exact);
    f("flops_per_sweep", self.flops_per_sweep); f("plain_flops", self.plain_flops);
    f("evaluations_per_sweep", self.evaluations_per_sweep); f("divisions_per_sweep", self.divisions_per_sweep);
    f("sweeps", self.sweeps);
  }
};
/// A formula of Naumov beside the exact count.
struct Formula {
  std::string equation = {};  ///< number of the equation
  std::string what = {};  ///< what it is of
  std::string unit = {};  ///< unit of both
  double formula = 0;  ///< by the formula
  double exact = 0;  ///< counted
  double difference = 0;  ///< formula / exact - 1

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("equation", self.equation); f("what", self.what); f("unit", self.unit); f("formula", self.formula);
    f("exact", self.exact); f("difference", self.difference);
  }
};
/// One of the paper's conditions with its numbers.
struct Condition {
  std::string condition = {};  ///< the condition
  std::optional<std::string> method = {};  ///< the method that it is about; null where it is about all
  std::string meaning = {};  ///< what its letters are
  std::optional<double> left = {};  ///< its left side; null where it is not finite
  std::optional<double> right = {};  ///< its right side; null where it is not finite
  bool holds = false;  ///< whether it holds

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("condition", self.condition); f("method", self.method); f("meaning", self.meaning); f("left", self.left);
    f("right", self.right); f("holds", self.holds);
  }
};
/// State of a method after an iteration. Numbers that are not finite are null.
struct Point {
  std::int64_t iteration = 0;  ///< from 0
  std::optional<double> residual = {};  ///< Euclidean norm of the residual over that of the right side
  std::optional<double> residual_max = {};  ///< largest element of the residual, absolute
  std::optional<double> error = {};  ///< the largest of block_errors
  std::optional<double> first_error = {};  ///< that of the first block, which every other one has to reach
  /// blocks whose gradient is off by at most 1 %; null where errors are not known by block
  std::optional<std::int64_t> usable_blocks = {};
  /// of each block, largest difference from plain back-propagation over its largest gradient; null but at iterations 0,
  /// 1, 2, 3, 5, 10, 20, 30, 50, ... and the last
  std::optional<std::vector<std::optional<double>>> block_errors = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("iteration", self.iteration); f("residual", self.residual); f("residual_max", self.residual_max);
    f("error", self.error); f("first_error", self.first_error); f("usable_blocks", self.usable_blocks);
    f("block_errors", self.block_errors);
  }
};
/// A method and what it came to. Numbers that are not finite are null.
struct Method {
  std::string name = {};  ///< substitution, jacobi, richardson, bicgstab or "hybrid:B jacobi"
  std::int64_t group = 0;  ///< consecutive blocks that are solved directly together
  std::optional<double> omega = {};  ///< relaxation; null of other methods than richardson
  bool converged = false;  ///< whether it has a solution
  std::optional<std::string> failed = {};  ///< why it has none; null where it has
  std::int64_t iterations = 0;  ///< iterations; of a method that failed those that were made
  std::optional<std::int64_t> bound = {};  ///< iterations after which it is exact; null without such a bound
  /// products with the matrix, restarts included; null, as other costs, where there is no solution
  std::optional<std::int64_t> products = {};
  std::optional<double> residual = {};  ///< of the last iteration, as in history
  std::optional<double> error = {};  ///< of the last iteration, as in history
  std::optional<double> first_error = {};  ///< of the last iteration, as in history
  /// iteration from which on no gradient is off by more than 1 %, of those that the history knows; null where none is
  std::optional<std::int64_t> usable_from = {};
  std::int64_t flops_per_iteration = 0;  ///< FLOPs of an iteration
  std::optional<std::int64_t> flops = {};  ///< FLOPs
  std::optional<double> flops_to_substitution = {};  ///< over those of substitution, below 1 is less
  std::int64_t makespan_per_iteration = 0;  ///< FLOPs of an iteration's makespan on the workers
  std::optional<std::int64_t> makespan = {};  ///< FLOPs of the makespan on the workers
  std::optional<double> makespan_to_substitution = {};  ///< over that of substitution, below 1 is faster
  std::optional<double> speedup_over_substitution = {};  ///< the inverse of makespan_to_substitution, above 1 is faster
  std::int64_t vectors = 0;  ///< vectors that it holds
  std::int64_t vector_bytes = 0;  ///< bytes of these
  std::string verdict = {};  ///< in words; empty of substitution
  std::vector<Point> history = {};  ///< state after each iteration

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("group", self.group); f("omega", self.omega); f("converged", self.converged);
    f("failed", self.failed); f("iterations", self.iterations); f("bound", self.bound); f("products", self.products);
    f("residual", self.residual); f("error", self.error); f("first_error", self.first_error);
    f("usable_from", self.usable_from); f("flops_per_iteration", self.flops_per_iteration); f("flops", self.flops);
    f("flops_to_substitution", self.flops_to_substitution); f("makespan_per_iteration", self.makespan_per_iteration);
    f("makespan", self.makespan); f("makespan_to_substitution", self.makespan_to_substitution);
    f("speedup_over_substitution", self.speedup_over_substitution); f("vectors", self.vectors);
    f("vector_bytes", self.vector_bytes); f("verdict", self.verdict); f("history", self.history);
  }
};
}  // namespace solve_parts
/// Back-propagation as a triangular system, by iterative methods. Counts are those of all right sides.
struct SolveOutcome {
  std::string model = {};  ///< name of the model
  std::string pattern = {};  ///< which entries of Jacobians count (guaranteed, sample)
  std::int64_t input = 0;  ///< input of the model's sample, from 0
  std::optional<std::int64_t> warm_start = {};  ///< input whose gradients methods start from; null without
  std::string loss = {};  ///< what the loss gradient is
  std::int64_t value_bytes = 0;  ///< bytes of a number
  double tolerance = 0;  ///< of the residual over the right side
  std::int64_t workers = 0;  ///< workers
  std::int64_t batch = 0;  ///< right sides
  solve_parts::System system = {};  ///< what is solved
  std::optional<solve_parts::Forward> forward = {};  ///< forward propagation as a system; null without --forward
  /// complexity formulas beside exact counts; null without --formulas
  std::optional<std::vector<solve_parts::Formula>> formulas = {};
  std::vector<solve_parts::Condition> verdicts = {};  ///< the paper's conditions
  std::vector<solve_parts::Method> methods = {};  ///< substitution first

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("pattern", self.pattern); f("input", self.input); f("warm_start", self.warm_start);
    f("loss", self.loss); f("value_bytes", self.value_bytes); f("tolerance", self.tolerance);
    f("workers", self.workers); f("batch", self.batch); f("system", self.system); f("forward", self.forward);
    f("formulas", self.formulas); f("verdicts", self.verdicts); f("methods", self.methods);
  }
};
/// What `upsweep solve` is asked. Solve back-propagation as a triangular system by iterative methods; errors and costs
/// by iteration.
struct SolveRequest {
  std::vector<Input> inputs = {};  ///< MODEL
  /// which Jacobian entries count: guaranteed by the architecture, or those at the input (guaranteed, sample); default:
  /// guaranteed
  std::optional<std::string> pattern = {};
  /// all, or several of jacobi, richardson, bicgstab and hybrid:B (B consecutive blocks directly, the rest by Jacobi),
  /// separated by commas; default: all
  std::optional<std::string> method = {};
  /// the diagonal of the system: f' of activations, or 1 with them as blocks (scaled, unit); default: scaled
  std::optional<std::string> form = {};
  /// of the residual against the right side; default: 1e-6, or the least that the number type reaches
  std::optional<double> tolerance = {};
  std::optional<double> omega = {};  ///< relaxation of richardson; 1 is Jacobi's iteration; default: 1
  /// start from the gradients of this input of the sample, by the same weights and loss; default: v = c, the loss
  /// gradient and zeros
  std::optional<std::int64_t> warm_start = {};
  std::optional<std::int64_t> workers = {};  ///< workers; default: one for each coupling
  std::optional<std::int64_t> batch = {};  ///< right sides that the counts are for; default: 1
  std::optional<std::int64_t> input = {};  ///< which input of the model's sample, from 0; default: 0
  std::optional<std::int64_t> label = {};  ///< loss gradient of softmax cross-entropy for this class, from 0
  std::optional<std::int64_t> loss_seed = {};  ///< seed of the standard normal loss gradient; default: 1
  bool forward = false;  ///< sweeps of approximate forward propagation too, from D = I
  std::optional<std::int64_t> earlier = {};  ///< the same with D from the pass at this input of the sample
  bool formulas = false;  ///< complexity formulas beside exact counts, which form the products of recursive splitting

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("pattern", pattern);
    all.add("method", method);
    all.add("form", form);
    all.add("tolerance", tolerance);
    all.add("omega", omega);
    all.add("warm_start", warm_start);
    all.add("workers", workers);
    all.add("batch", batch);
    all.add("input", input);
    all.add("label", label);
    all.add("loss_seed", loss_seed);
    all.add("forward", forward);
    all.add("earlier", earlier);
    all.add("formulas", formulas);
    return all.json();
  }
};
/// Runs `upsweep solve`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline SolveOutcome run(const SolveRequest& request, const Told& told = {}) {
  return json::read<SolveOutcome>(upsweep::run("solve", request.inputs, request.settings(), told).json());
}

// calibrate

namespace calibrate_parts {
/// Dense products by number type.
struct Dense {
  double fp32 = 0;  ///< FLOPs a second; 0 where not measured
  double fp64 = 0;  ///< FLOPs a second; 0 where not measured

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("fp32", self.fp32); f("fp64", self.fp64);
  }
};
/// What was measured with a number of workers.
struct Rates {
  std::int64_t workers = 0;  ///< workers
  double op_latency_s = 0;  ///< seconds that an op takes at least
  double level_latency_s = 0;  ///< seconds that a barrier takes
  /// of a GPU, seconds that a level takes more for each op beyond two that it has at a time; else 0
  double stream_latency_s = 0;
  double copy_bytes_per_s = 0;  ///< bytes a second that are copied
  Dense dense_flops_per_s = {};  ///< FLOPs a second of dense products

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("workers", self.workers); f("op_latency_s", self.op_latency_s); f("level_latency_s", self.level_latency_s);
    f("stream_latency_s", self.stream_latency_s); f("copy_bytes_per_s", self.copy_bytes_per_s);
    f("dense_flops_per_s", self.dense_flops_per_s);
  }
};
/// A synthetic product, predicted beside measured.
struct Point {
  std::string product = {};  ///< what it is
  std::int64_t workers = 0;  ///< workers
  std::string dtype = {};  ///< type of numbers (fp32, fp64)
  bool in_cache = false;  ///< whether its operands fit the cache
  double predicted_s = 0;  ///< seconds by the fit
  double measured_s = 0;  ///< measured seconds
  double error = 0;  ///< predicted / measured - 1

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("product", self.product); f("workers", self.workers); f("dtype", self.dtype); f("in_cache", self.in_cache);
    f("predicted_s", self.predicted_s); f("measured_s", self.measured_s); f("error", self.error);
  }
};
}  // namespace calibrate_parts
/// The machine that was measured.
struct CalibrateOutcome {
  std::string machine = {};  ///< its name, of the file
  std::string device = {};  ///< the processor or GPU
  std::string driver = {};  ///< system or driver
  std::string date = {};  ///< when, UTC
  ErrorFigures fit = {};  ///< errors of all synthetic products
  /// of a processor: mean |log(predicted / measured)| of how fast working sets of all sizes are read, above 0.1 where
  /// something else probably ran meanwhile; null where no end of the cache was seen
  std::optional<double> cache_error = {};
  std::vector<calibrate_parts::Rates> rates = {};  ///< by number of workers
  std::vector<calibrate_parts::Point> points = {};  ///< every synthetic product

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("machine", self.machine); f("device", self.device); f("driver", self.driver); f("date", self.date);
    f("fit", self.fit); f("cache_error", self.cache_error); f("rates", self.rates); f("points", self.points);
  }
};
/// What `upsweep calibrate` is asked. Measure this machine with synthetic products; write a machine file.
struct CalibrateRequest {
  std::vector<Input> inputs = {};  ///< none
  std::optional<std::string> backend = {};  ///< what is measured (cpu, cuda); default: cpu
  std::optional<std::string> out = {};  ///< the machine file to write, for --machine of other commands
  std::optional<std::string> dtype = {};  ///< number types to measure (fp32, fp64, both); default: both
  bool quick = false;  ///< a third of the products: to try it out, not for figures
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
  std::optional<std::string> db = {};  ///< store the machine in this SQLite file

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("backend", backend);
    all.add("out", out);
    all.add("dtype", dtype);
    all.add("quick", quick);
    all.add("force", force);
    all.add("db", db);
    return all.json();
  }
};
/// Runs `upsweep calibrate`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline CalibrateOutcome run(const CalibrateRequest& request, const Told& told = {}) {
  return json::read<CalibrateOutcome>(upsweep::run("calibrate", request.inputs, request.settings(), told).json());
}

// new

/// The file that was written.
struct NewOutcome {
  std::string kind = {};  ///< kind of file (model, recurrent, chain, machine, study, training, train)
  std::string file = {};  ///< its path; - for standard output
  std::string text = {};  ///< what is in it

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("kind", self.kind); f("file", self.file); f("text", self.text);
  }
};
/// What `upsweep new` is asked. Write a commented file to start from: a model, a machine, a study.
struct NewRequest {
  std::vector<Input> inputs = {};  ///< KIND [FILE], in this order
  bool force = false;  ///< replace a file of that name that upsweep did not write, too

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("force", force);
    return all.json();
  }
};
/// Runs `upsweep new`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline NewOutcome run(const NewRequest& request, const Told& told = {}) {
  return json::read<NewOutcome>(upsweep::run("new", request.inputs, request.settings(), told).json());
}

// machines

namespace machines_parts {
/// A machine; rates are those of all its workers.
struct Machine {
  std::string name = {};  ///< for --machine
  std::string kind = {};  ///< its model (pram, cpu, gpu)
  std::optional<double> fp32_TFLOPps = {};  ///< 10^12 FLOPs a second of fp32; null where they are free
  std::optional<double> fp64_TFLOPps = {};  ///< 10^12 FLOPs a second of fp64; null where they are free or not known
  std::optional<double> bandwidth_GBps = {};  ///< 10^9 bytes a second of its memory; null where they are free
  std::optional<std::int64_t> memory_bytes = {};  ///< bytes of its memory; null where its file does not say
  std::optional<std::int64_t> cache_bytes = {};  ///< bytes of its last cache; null where its file does not say
  /// whose published times its sparse products have, with commas; null without
  std::optional<std::string> libraries = {};
  /// what its figures come from: datasheet, calibration or definition; null where its file does not say
  std::optional<std::string> origin = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("kind", self.kind); f("fp32_TFLOPps", self.fp32_TFLOPps);
    f("fp64_TFLOPps", self.fp64_TFLOPps); f("bandwidth_GBps", self.bandwidth_GBps);
    f("memory_bytes", self.memory_bytes); f("cache_bytes", self.cache_bytes); f("libraries", self.libraries);
    f("origin", self.origin);
  }
};
}  // namespace machines_parts
/// The machines that --machine knows by name.
struct MachinesOutcome {
  std::vector<machines_parts::Machine> machines = {};  ///< by name

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("machines", self.machines);
  }
};
/// What `upsweep machines` is asked. List the machines that --machine knows by name; write one's file.
struct MachinesRequest {
  std::vector<Input> inputs = {};  ///< [NAME]
  std::optional<std::string> out = {};  ///< write its machine file here, to change it
  bool force = false;  ///< replace a file of that name that upsweep did not write, too

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("out", out);
    all.add("force", force);
    return all.json();
  }
};
/// Runs `upsweep machines`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline MachinesOutcome run(const MachinesRequest& request, const Told& told = {}) {
  return json::read<MachinesOutcome>(upsweep::run("machines", request.inputs, request.settings(), told).json());
}

// anchors

namespace anchors_parts {
/// Failures of libraries.
struct Failures {
  std::int64_t predicted = 0;  ///< that happened and were predicted
  std::int64_t missed = 0;  ///< that happened and were not
  std::int64_t false_alarms = 0;  ///< that were predicted where the library worked

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("predicted", self.predicted); f("missed", self.missed); f("false_alarms", self.false_alarms);
  }
};
/// Errors |predicted / measured - 1|; null without points.
struct Errors {
  std::optional<double> mean = {};  ///< their mean
  std::optional<double> median = {};  ///< their median
  std::optional<double> p90 = {};  ///< their 90th percentile
  std::optional<double> max = {};  ///< the largest

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("mean", self.mean); f("median", self.median); f("p90", self.p90); f("max", self.max);
  }
};
/// A published or measured time.
struct Point {
  std::string file = {};  ///< table or database that it is from
  std::int64_t line = 0;  ///< line of the table, or run of the database
  std::string family = {};  ///< spgemm, scan, recurrent, validation, ...
  std::string device = {};  ///< device as the table calls it
  std::string library = {};  ///< library as the table calls it
  std::string name = {};  ///< matrix or algorithm; empty where the table does not say
  std::optional<std::string> machine = {};  ///< machine that predicts; null where nobody knows the device
  std::optional<double> measured_ms = {};  ///< milliseconds; null where the library failed
  /// milliseconds, of rows that rates were fitted to by rates without their structure; null where not predicted
  std::optional<double> predicted_ms = {};
  std::optional<double> low_ms = {};  ///< lower end of interval_ms
  std::optional<double> high_ms = {};  ///< upper end of interval_ms
  std::optional<double> in_sample_ms = {};  ///< milliseconds by rates that rest on it, too; null where they do not
  std::optional<double> bound_ms = {};  ///< milliseconds by the datasheet's roofline; null without one
  std::optional<double> error = {};  ///< |predicted / measured - 1|; null where one is missing
  std::string status = {};  ///< ok, library_error, or another word of the table
  /// whether the library is predicted to work; null where nothing is (ok, library_error)
  std::optional<std::string> predicted_status = {};
  std::optional<std::string> binds = {};  ///< what most of the predicted time is; null where not predicted
  bool fitted = false;  ///< whether rates rest on it
  bool left_out = false;  ///< whether it is predicted without its structure
  std::optional<std::string> skipped = {};  ///< why it is not predicted; null where it is
  std::optional<Interval> interval_ms = {};  ///< milliseconds that four of five times are within; null without
  std::optional<bool> inside = {};  ///< whether the time is within; null without an interval
  std::optional<std::int64_t> family_index = {};  ///< number of its family in `families`, from 0; null without families

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("file", self.file); f("line", self.line); f("family", self.family); f("device", self.device);
    f("library", self.library); f("name", self.name); f("machine", self.machine); f("measured_ms", self.measured_ms);
    f("predicted_ms", self.predicted_ms); f("low_ms", self.low_ms); f("high_ms", self.high_ms);
    f("in_sample_ms", self.in_sample_ms); f("bound_ms", self.bound_ms); f("error", self.error);
    f("status", self.status); f("predicted_status", self.predicted_status); f("binds", self.binds);
    f("fitted", self.fitted); f("left_out", self.left_out); f("skipped", self.skipped);
    f("interval_ms", self.interval_ms); f("inside", self.inside); f("family_index", self.family_index);
  }
};
/// Points of a family, device and library.
struct Family {
  std::string family = {};  ///< spgemm, scan, recurrent, validation, ...
  std::string device = {};  ///< device as the table calls it; empty where it does not say
  std::string library = {};  ///< library as the table calls it
  std::optional<std::string> machine = {};  ///< machine that predicts; null where nobody knows the device
  std::int64_t rows = 0;  ///< rows of the tables
  std::int64_t points = 0;  ///< rows that are predicted beside a time
  std::int64_t fitted = 0;  ///< of these, those that rates rest on
  std::int64_t left_out = 0;  ///< of these, those that are predicted without their structure
  Errors error = {};  ///< of predictions; of rows that rates rest on, by rates without their structure
  Errors in_sample = {};  ///< of rows that rates rest on, by these rates
  Errors bound_error = {};  ///< of the datasheet's roofline
  std::optional<double> coverage = {};  ///< share of times within their intervals, from 0 to 1; null without intervals
  std::int64_t skipped = 0;  ///< rows that are neither predicted nor a failure of the library
  Failures failures = {};  ///< of the library
  std::vector<std::string> fitted_on = {};  ///< what rates rest on, in sentences

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("family", self.family); f("device", self.device); f("library", self.library); f("machine", self.machine);
    f("rows", self.rows); f("points", self.points); f("fitted", self.fitted); f("left_out", self.left_out);
    f("error", self.error); f("in_sample", self.in_sample); f("bound_error", self.bound_error);
    f("coverage", self.coverage); f("skipped", self.skipped); f("failures", self.failures);
    f("fitted_on", self.fitted_on);
  }
};
}  // namespace anchors_parts
/// Predictions beside published or measured times.
struct AnchorsOutcome {
  anchors_parts::Failures failures = {};  ///< of all libraries
  double interval_share = 0;  ///< share of times that intervals are meant to hold, from 0 to 1
  std::vector<anchors_parts::Point> points = {};  ///< every row of the tables
  std::vector<anchors_parts::Family> families = {};  ///< by family, device and library

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("failures", self.failures); f("interval_share", self.interval_share); f("points", self.points);
    f("families", self.families);
  }
};
/// What `upsweep anchors` is asked. Predict published times on named GPUs: how far off is the model?.
struct AnchorsRequest {
  std::vector<Input> inputs = {};  ///< FILE.csv...
  std::optional<std::string> family = {};  ///< rows of this family alone: spgemm, scan, recurrent, validation, ...
  std::optional<std::string> device = {};  ///< rows whose device has this in its name
  /// machine files of devices, before the presets; one stands for devices that nobody knows, too
  std::vector<std::string> machine = {};
  std::optional<std::string> fit_out = {};  ///< fit the one --machine to its rows, and write it here
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
  std::optional<std::string> db = {};  ///< keep everything in this SQLite file: for runs, report and `plot anchors`

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("family", family);
    all.add("device", device);
    all.add("machine", machine);
    all.add("fit_out", fit_out);
    all.add("force", force);
    all.add("db", db);
    return all.json();
  }
};
/// Runs `upsweep anchors`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline AnchorsOutcome run(const AnchorsRequest& request, const Told& told = {}) {
  return json::read<AnchorsOutcome>(upsweep::run("anchors", request.inputs, request.settings(), told).json());
}

// order

namespace order_parts {
/// How many makespans are those that the table has.
struct Published {
  std::int64_t compared = 0;  ///< chains with a published makespan
  std::int64_t equal = 0;  ///< the same
  std::int64_t shorter_here = 0;  ///< shorter than published
  std::int64_t longer_here = 0;  ///< longer than published
  /// shorter than what is published as proven, or longer though proven here; 0 where costs are counted alike
  std::int64_t contradicted = 0;

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("compared", self.compared); f("equal", self.equal); f("shorter_here", self.shorter_here);
    f("longer_here", self.longer_here); f("contradicted", self.contradicted);
  }
};
/// A chain and its order.
struct Instance {
  std::int64_t length = 0;  ///< links
  std::int64_t id = 0;  ///< of the table, or the row's number from 0
  std::int64_t makespan = 0;  ///< end of the last operation
  std::int64_t bound = 0;  ///< no order ends before
  bool proven = false;  ///< whether makespan is bound: there is no shorter order
  std::optional<std::int64_t> published = {};  ///< makespan that the table has; null without one
  std::int64_t one_machine = 0;  ///< shortest makespan on one machine
  double speedup = 0;  ///< one_machine / makespan
  /// operations: N accumulates link N; (A B) multiplies; (A>N) is a tangent step over link N; (N<B) an adjoint step
  /// over link N
  std::string tree = {};
  /// when operations of the tree begin, in post-order: each behind those that it needs, of a product the left one first
  std::vector<std::int64_t> starts = {};
  std::vector<std::int64_t> machines = {};  ///< which machine does them, from 0, in the same order

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("length", self.length); f("id", self.id); f("makespan", self.makespan); f("bound", self.bound);
    f("proven", self.proven); f("published", self.published); f("one_machine", self.one_machine);
    f("speedup", self.speedup); f("tree", self.tree); f("starts", self.starts); f("machines", self.machines);
  }
};
}  // namespace order_parts
/// Shortest orders of products of dense Jacobian chains on identical machines; times in fused multiply-adds.
struct OrderOutcome {
  std::string file = {};  ///< table of chains
  std::int64_t machines = 0;  ///< identical machines, each does one operation at a time
  double seconds = 0;  ///< limit of the search for a chain
  std::int64_t solved = 0;  ///< chains with an order
  std::int64_t proven = 0;  ///< chains whose order is proven to be the shortest
  /// makespans beside those of the table; null where it has none
  std::optional<order_parts::Published> published = {};
  std::vector<order_parts::Instance> instances = {};  ///< chains in the table's order

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("file", self.file); f("machines", self.machines); f("seconds", self.seconds); f("solved", self.solved);
    f("proven", self.proven); f("published", self.published); f("instances", self.instances);
  }
};
/// What `upsweep order` is asked. Find the shortest orders of products of dense Jacobian chains on identical machines.
struct OrderRequest {
  std::vector<Input> inputs = {};  ///< FILE.csv[.gz]
  std::optional<std::int64_t> machines = {};  ///< identical machines, each does one operation at a time; default: 1
  /// of search for a chain; then the best order so far stands, with a bound; default: 10
  std::optional<double> seconds = {};

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("machines", machines);
    all.add("seconds", seconds);
    return all.json();
  }
};
/// Runs `upsweep order`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline OrderOutcome run(const OrderRequest& request, const Told& told = {}) {
  return json::read<OrderOutcome>(upsweep::run("order", request.inputs, request.settings(), told).json());
}

// train

namespace train_parts {
/// What is trained.
struct Model {
  std::string name = {};  ///< its name
  std::string description = {};  ///< in words
  std::string content_hash = {};  ///< hash of its files

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("description", self.description); f("content_hash", self.content_hash);
  }
};
/// What it is trained with.
struct Data {
  std::string kind = {};  ///< kind of data, as train files call it
  std::int64_t samples = 0;  ///< samples

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("kind", self.kind); f("samples", self.samples);
  }
};
/// Seconds of the whole training.
struct Phases {
  double data = 0;  ///< of making batches
  double forward = 0;  ///< of forward passes
  double backward = 0;  ///< of backward passes
  double parameters = 0;  ///< of gradients of parameters
  double update = 0;  ///< of the optimiser
  double total = 0;  ///< of all

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("data", self.data); f("forward", self.forward); f("backward", self.backward); f("parameters", self.parameters);
    f("update", self.update); f("total", self.total);
  }
};
/// Speed-ups over the first curve by seconds of an iteration, above 1 is faster; null where one has none.
struct Speedup {
  std::optional<double> backward = {};  ///< of backward passes
  std::optional<double> total = {};  ///< of everything

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("backward", self.backward); f("total", self.total);
  }
};
/// How far a curve is from the first.
struct Difference {
  double largest = 0;  ///< the largest difference of losses
  std::int64_t largest_at = 0;  ///< iteration of that, from 1
  double largest_relative = 0;  ///< the largest relative difference of losses
  double first_relative = 0;  ///< the same in the first iterations
  std::int64_t first_iterations = 0;  ///< how many these are
  std::optional<double> weights_relative = {};  ///< relative difference of the weights at the end; null where not known

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("largest", self.largest); f("largest_at", self.largest_at); f("largest_relative", self.largest_relative);
    f("first_relative", self.first_relative); f("first_iterations", self.first_iterations);
    f("weights_relative", self.weights_relative);
  }
};
/// Seconds of all backward passes by phase.
struct PassSeconds {
  double jacobians = 0;  ///< of forming Jacobians
  double up = 0;  ///< of up-sweeps
  double middle = 0;  ///< between sweeps
  double down = 0;  ///< of down-sweeps, or of sequential passes

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("jacobians", self.jacobians); f("up", self.up); f("middle", self.middle); f("down", self.down);
  }
};
/// A training by one kind of backward pass.
struct Curve {
  std::string backward = {};  ///< the pass: bptt, bp, linear, hybrid:L, blelloch, blocked:P
  std::optional<std::string> failed = {};  ///< why it ended early; null where it did not
  std::vector<double> loss = {};  ///< loss of each iteration
  std::vector<double> accuracy = {};  ///< share of the batch that is classified right, of each iteration, from 0 to 1
  Phases seconds = {};  ///< measured
  Speedup speedup = {};  ///< over the first curve
  std::optional<Difference> difference = {};  ///< from the first curve; null where one of the two ended early
  std::optional<PassSeconds> pass_seconds = {};  ///< seconds of backward passes by phase; of recurrent models alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("backward", self.backward); f("failed", self.failed); f("loss", self.loss); f("accuracy", self.accuracy);
    f("seconds", self.seconds); f("speedup", self.speedup); f("difference", self.difference);
    f("pass_seconds", self.pass_seconds);
  }
};
}  // namespace train_parts
/// Trainings from the same start by several kinds of backward pass.
struct TrainOutcome {
  std::string name = {};  ///< name of the train file
  train_parts::Model model = {};  ///< what is trained
  std::string dtype = {};  ///< type of numbers (fp32, fp64)
  std::int64_t parameters = 0;  ///< learned numbers
  train_parts::Data data = {};  ///< what it is trained with
  std::string optimizer = {};  ///< optimiser with its settings
  std::int64_t batch = 0;  ///< samples of an iteration
  std::optional<std::int64_t> steps = {};  ///< length of the sequences; null of networks of operators
  std::int64_t iterations = 0;  ///< iterations that were asked for
  std::int64_t shuffle_seed = 0;  ///< seed of the order of samples
  std::string backend = {};  ///< where backward passes ran
  std::string device = {};  ///< what they ran on
  std::string driver = {};  ///< system or driver
  std::int64_t workers = 0;  ///< threads
  std::vector<train_parts::Curve> curves = {};  ///< the first is the reference
  std::vector<std::string> notes = {};  ///< remarks, FLOPs of products among them
  Verdict verdict = {};  ///< whether the fastest scan pays, by seconds of backward passes of an iteration

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("model", self.model); f("dtype", self.dtype); f("parameters", self.parameters);
    f("data", self.data); f("optimizer", self.optimizer); f("batch", self.batch); f("steps", self.steps);
    f("iterations", self.iterations); f("shuffle_seed", self.shuffle_seed); f("backend", self.backend);
    f("device", self.device); f("driver", self.driver); f("workers", self.workers); f("curves", self.curves);
    f("notes", self.notes); f("verdict", self.verdict);
  }
};
/// What `upsweep train` is asked. Train by several kinds of backward pass from the same start, loss curves on top of
/// each other.
struct TrainRequest {
  std::vector<Input> inputs = {};  ///< FILE
  /// backward passes instead of the file's, the first the reference: bptt,blelloch,blocked:4
  std::optional<std::string> backward = {};
  std::optional<std::int64_t> iterations = {};  ///< instead of the file's
  std::optional<std::int64_t> batch = {};  ///< samples of an iteration, instead of the file's or the model's
  std::optional<std::int64_t> steps = {};  ///< length of the sequences, instead of the file's or the model's
  std::optional<std::string> backend = {};  ///< where backward passes run, instead of the file's: reference, cpu, cuda
  std::optional<std::int64_t> workers = {};  ///< threads; default: all that this machine has
  std::optional<std::string> svg = {};  ///< draw the curves into this SVG file, by Node.js
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
  std::optional<std::string> db = {};  ///< keep the curves and times in this SQLite file

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("backward", backward);
    all.add("iterations", iterations);
    all.add("batch", batch);
    all.add("steps", steps);
    all.add("backend", backend);
    all.add("workers", workers);
    all.add("svg", svg);
    all.add("force", force);
    all.add("db", db);
    return all.json();
  }
};
/// Runs `upsweep train`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline TrainOutcome run(const TrainRequest& request, const Told& told = {}) {
  return json::read<TrainOutcome>(upsweep::run("train", request.inputs, request.settings(), told).json());
}

// training

namespace training_parts {
/// Where costs come from.
struct Costs {
  std::string model = {};  ///< name of the model or layers file
  std::string machine = {};  ///< name of the machine
  std::optional<std::string> link = {};  ///< name of the link; null without
  /// how kernels of a GPU are started; null without a GPU (eager, graph, fused)
  std::optional<std::string> launch = {};
  std::optional<std::string> library = {};  ///< whose sparse products; null where they are the datasheet's
  std::string kernels = {};  ///< sparse products as a scan counts them, or dense kernels (csr, dense)
  std::int64_t batch = 0;  ///< samples of a step

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("model", self.model); f("machine", self.machine); f("link", self.link); f("launch", self.launch);
    f("library", self.library); f("kernels", self.kernels); f("batch", self.batch);
  }
};
/// Costs of layers, for one micro-batch, seconds.
struct Layers {
  std::optional<std::int64_t> micro_batches = {};  ///< micro-batches of a step; of pipelines alone
  std::vector<double> F = {};  ///< seconds of each layer's output
  std::vector<double> O = {};  ///< seconds of the gradient of each layer's input
  std::vector<double> W = {};  ///< seconds of the gradient of each layer's weights
  std::optional<std::vector<double>> size = {};  ///< bytes of the tensor that each layer hands on; of pipelines alone
  /// seconds of each layer's gradients on the link; of data parallelism alone
  std::optional<std::vector<double>> S = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("micro_batches", self.micro_batches); f("F", self.F); f("O", self.O); f("W", self.W); f("size", self.size);
    f("S", self.S);
  }
};
/// The shortest step of the same operations in any order.
struct Optimum {
  std::optional<double> makespan = {};  ///< the shortest that was found, in the time unit of the step
  std::optional<double> lower_bound = {};  ///< none is shorter, in the time unit of the step
  std::optional<double> gap = {};  ///< makespan / lower_bound - 1
  std::optional<bool> proven = {};  ///< whether the two are equal
  std::optional<std::int64_t> nodes = {};  ///< nodes of the search
  std::optional<std::string> skipped = {};  ///< why it was not looked for; then alone

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("makespan", self.makespan); f("lower_bound", self.lower_bound); f("gap", self.gap); f("proven", self.proven);
    f("nodes", self.nodes); f("skipped", self.skipped);
  }
};
/// A variant of the step.
struct Policy {
  std::string label = {};  ///< its name
  std::int64_t micro_batches = 0;  ///< micro-batches that the batch is cut into
  double tensor_size = 0;  ///< tensors of the file's micro-batches that one of its tensors is
  std::optional<std::string> does_not_fit = {};  ///< what it needs more than the memory limit; null where it fits
  std::string policy = {};  ///< the policy
  double makespan = 0;  ///< length of the step, in the time unit of the step
  std::vector<double> busy = {};  ///< by device, time that it works, in the time unit of the step
  std::vector<double> utilisation = {};  ///< by device, that over makespan, from 0 to 1
  double bubble_fraction = 0;  ///< share of all devices' time that they are idle, from 0 to 1
  /// by device, most activations at one instant, in tensors of the policy's micro-batches
  std::vector<std::int64_t> peak_act = {};
  std::vector<std::int64_t> peak_grad = {};  ///< by device, most gradients, likewise
  std::vector<std::int64_t> peak_act_plus_grad = {};  ///< by device, most of both together, likewise
  /// whether costs were simulated as they stand; false: rounded to ticks of less than 10^-14 of all work
  bool exact = false;
  /// by device, its operations as "F1.0@0": kind, layer, micro-batch and start, in the time unit of the step
  std::vector<std::vector<std::string>> trace = {};
  std::optional<Optimum> optimum = {};  ///< the shortest step of the same operations in any order; with --optimum alone
  /// by device, bytes of activations; with costs from a model alone, as the next four
  std::optional<std::vector<std::int64_t>> peak_act_bytes = {};
  std::optional<std::vector<std::int64_t>> peak_grad_bytes = {};  ///< by device, bytes of gradients
  std::optional<std::vector<std::int64_t>> peak_act_plus_grad_bytes = {};  ///< by device, bytes of both together
  /// by device, bytes of weights with their gradients, of all versions
  std::optional<std::vector<std::int64_t>> weight_bytes = {};
  /// by device, bytes of all of that at one instant, at most
  std::optional<std::vector<std::int64_t>> memory_bytes = {};
  /// by stage, versions of weights that are kept; of pipedream alone, as the next three
  std::optional<std::vector<std::int64_t>> weight_versions = {};
  /// by stage, updates between the weights of a gradient and those that it changes
  std::optional<std::vector<std::int64_t>> staleness = {};
  /// by stage, time of a micro-batch forward and backward, in the time unit of the step
  std::optional<std::vector<double>> stage_time = {};
  /// a micro-batch takes at least this in the steady state, in the time unit of the step
  std::optional<double> period_lower_bound = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("label", self.label); f("micro_batches", self.micro_batches); f("tensor_size", self.tensor_size);
    f("does_not_fit", self.does_not_fit); f("policy", self.policy); f("makespan", self.makespan); f("busy", self.busy);
    f("utilisation", self.utilisation); f("bubble_fraction", self.bubble_fraction); f("peak_act", self.peak_act);
    f("peak_grad", self.peak_grad); f("peak_act_plus_grad", self.peak_act_plus_grad); f("exact", self.exact);
    f("trace", self.trace); f("optimum", self.optimum); f("peak_act_bytes", self.peak_act_bytes);
    f("peak_grad_bytes", self.peak_grad_bytes); f("peak_act_plus_grad_bytes", self.peak_act_plus_grad_bytes);
    f("weight_bytes", self.weight_bytes); f("memory_bytes", self.memory_bytes);
    f("weight_versions", self.weight_versions); f("staleness", self.staleness); f("stage_time", self.stage_time);
    f("period_lower_bound", self.period_lower_bound);
  }
};
/// The step by a parallel scan on the same devices, which share their memory.
struct Scan {
  std::string schedule = {};  ///< the schedule; linear is no scan
  double makespan = 0;  ///< length of the step, in the time unit of the step
  double forward_end = 0;  ///< end of the forward pass, in the time unit of the step
  double gradients_end = 0;  ///< end of the scan's last product, in the time unit of the step
  std::vector<double> busy = {};  ///< by device, time that it works, in the time unit of the step
  double bubble_fraction = 0;  ///< share of all devices' time that they are idle, from 0 to 1

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("schedule", self.schedule); f("makespan", self.makespan); f("forward_end", self.forward_end);
    f("gradients_end", self.gradients_end); f("busy", self.busy); f("bubble_fraction", self.bubble_fraction);
  }
};
/// What a device may hold.
struct MemoryLimit {
  std::optional<std::int64_t> bytes = {};  ///< bytes; with costs from a model alone
  std::optional<std::int64_t> tensors = {};  ///< tensors of the file's micro-batches; else

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("bytes", self.bytes); f("tensors", self.tensors);
  }
};
/// Makespans by k, from 0 on, in the time unit of the step.
struct Makespans {
  std::vector<double> fifo = {};  ///< of a link in order of arrival
  std::vector<double> priority = {};  ///< of a link by the layer that waits first
  std::vector<double> preemptive = {};  ///< of one that also interrupts

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("fifo", self.fifo); f("priority", self.priority); f("preemptive", self.preemptive);
  }
};
/// A run of data parallelism, times in the time unit of the step.
struct Detail {
  double makespan = 0;  ///< to the end of the next forward pass
  double backward_end = 0;  ///< end of the backward pass
  double busy = 0;  ///< time that the device works
  double idle = 0;  ///< time that it waits
  std::vector<double> sync_end = {};  ///< by layer, end of its synchronisation
  std::vector<double> forward_start = {};  ///< by layer, start of its next forward pass

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("makespan", self.makespan); f("backward_end", self.backward_end); f("busy", self.busy); f("idle", self.idle);
    f("sync_end", self.sync_end); f("forward_start", self.forward_start);
  }
};
/// What the schedule came to when it was executed, in the time unit of the step.
struct Executed {
  double makespan = 0;  ///< of both streams
  double main_end = 0;  ///< end of the main stream
  double sub_end = 0;  ///< end of the sub-stream

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("makespan", self.makespan); f("main_end", self.main_end); f("sub_end", self.sub_end);
  }
};
/// A schedule of weight gradients beside regions of the main stream.
struct Regions {
  std::vector<std::vector<std::int64_t>> schedule = {};  ///< by region, layers whose weight gradients run beside it
  /// by layer, estimated start of its weight gradient, in the time unit of the step
  std::map<std::string, double> begin = {};
  /// by layer, time of its weight gradient there, in the time unit of the step
  std::map<std::string, double> length = {};
  std::vector<double> now = {};  ///< by region, final clock of the sub-stream, in the time unit of the step
  std::vector<std::int64_t> overflow = {};  ///< layers that found no region
  double estimate = 0;  ///< makespan as the algorithm estimates it, in the time unit of the step
  Executed executed = {};  ///< when executed

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("schedule", self.schedule); f("begin", self.begin); f("length", self.length); f("now", self.now);
    f("overflow", self.overflow); f("estimate", self.estimate); f("executed", self.executed);
  }
};
/// The same with the fallback for memory.
struct RegionsInMemory {
  std::vector<std::vector<std::int64_t>> schedule = {};  ///< by region, layers whose weight gradients run beside it
  /// by layer, estimated start of its weight gradient, in the time unit of the step
  std::map<std::string, double> begin = {};
  /// by layer, time of its weight gradient there, in the time unit of the step
  std::map<std::string, double> length = {};
  std::vector<double> now = {};  ///< by region, final clock of the sub-stream, in the time unit of the step
  std::vector<std::int64_t> overflow = {};  ///< layers that found no region
  double estimate = 0;  ///< makespan as the algorithm estimates it, in the time unit of the step
  Executed executed = {};  ///< when executed
  std::int64_t pre_regions = 0;  ///< regions that are filled as early as possible first, which needs less memory
  /// peak of memory with 0, 1, ... of these, as far as was tried, in the unit of the file
  std::vector<double> peaks = {};
  bool fits = false;  ///< whether one is below the limit

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("schedule", self.schedule); f("begin", self.begin); f("length", self.length); f("now", self.now);
    f("overflow", self.overflow); f("estimate", self.estimate); f("executed", self.executed);
    f("pre_regions", self.pre_regions); f("peaks", self.peaks); f("fits", self.fits);
  }
};
}  // namespace training_parts
/// A simulated training step. Which fields there are depends on `kind`, and of a pipeline on whether several policies
/// are compared.
struct TrainingOutcome {
  std::string name = {};  ///< name of the training file
  std::string kind = {};  ///< kind of step (pipeline, data_parallel, multi_region, reverse_first_k_memory)
  std::optional<std::string> unit = {};  ///< unit of times; null: that of the file (s)
  Verdict verdict = {};  ///< the best policy, and whether a scan beats it
  std::optional<training_parts::Costs> costs = {};  ///< where costs come from; absent where they stand in the file
  /// costs that were taken from a model; absent where they stand in the file
  std::optional<training_parts::Layers> layers = {};
  std::optional<training_parts::MemoryLimit> memory_limit = {};  ///< pipeline; absent without
  std::optional<std::vector<training_parts::Policy>> policies = {};  ///< pipeline that compares policies
  /// pipeline that compares policies; empty without scans
  std::optional<std::vector<training_parts::Scan>> scans = {};
  /// pipeline that compares policies: label of the shortest step that fits; null where none does
  std::optional<std::string> best = {};
  std::optional<std::string> policy = {};  ///< pipeline of one policy: the policy
  std::optional<double> makespan = {};  ///< pipeline of one policy: length of the step, in the time unit of the step
  /// pipeline of one policy: by device, time that it works, in the time unit of the step
  std::optional<std::vector<double>> busy = {};
  /// pipeline of one policy: by device, that over makespan, from 0 to 1
  std::optional<std::vector<double>> utilisation = {};
  /// pipeline of one policy: share of all devices' time that they are idle, from 0 to 1
  std::optional<double> bubble_fraction = {};
  /// pipeline of one policy: by device, most activations at one instant, in tensors of the policy's micro-batches
  std::optional<std::vector<std::int64_t>> peak_act = {};
  /// pipeline of one policy: by device, most gradients, likewise
  std::optional<std::vector<std::int64_t>> peak_grad = {};
  /// pipeline of one policy: by device, most of both together, likewise
  std::optional<std::vector<std::int64_t>> peak_act_plus_grad = {};
  /// pipeline of one policy: whether costs were simulated as they stand; false: rounded to ticks of less than 10^-14 of
  /// all work
  std::optional<bool> exact = {};
  /// pipeline of one policy: by device, its operations as "F1.0@0": kind, layer, micro-batch and start, in the time
  /// unit of the step
  std::optional<std::vector<std::vector<std::string>>> trace = {};
  /// pipeline of one policy, data_parallel and multi_region: the shortest step of the same operations in any order;
  /// with --optimum alone
  std::optional<training_parts::Optimum> optimum = {};
  /// pipeline of one policy: by device, bytes of activations; with costs from a model alone, as the next four
  std::optional<std::vector<std::int64_t>> peak_act_bytes = {};
  /// pipeline of one policy: by device, bytes of gradients
  std::optional<std::vector<std::int64_t>> peak_grad_bytes = {};
  /// pipeline of one policy: by device, bytes of both together
  std::optional<std::vector<std::int64_t>> peak_act_plus_grad_bytes = {};
  /// pipeline of one policy: by device, bytes of weights with their gradients, of all versions
  std::optional<std::vector<std::int64_t>> weight_bytes = {};
  /// pipeline of one policy: by device, bytes of all of that at one instant, at most
  std::optional<std::vector<std::int64_t>> memory_bytes = {};
  /// pipeline of one policy: by stage, versions of weights that are kept; of pipedream alone, as the next three
  std::optional<std::vector<std::int64_t>> weight_versions = {};
  /// pipeline of one policy: by stage, updates between the weights of a gradient and those that it changes
  std::optional<std::vector<std::int64_t>> staleness = {};
  /// pipeline of one policy: by stage, time of a micro-batch forward and backward, in the time unit of the step
  std::optional<std::vector<double>> stage_time = {};
  /// pipeline of one policy: a micro-batch takes at least this in the steady state, in the time unit of the step
  std::optional<double> period_lower_bound = {};
  std::optional<training_parts::Makespans> makespan_by_link_and_k = {};  ///< data_parallel: by rule of the link
  /// data_parallel: rule of the link that k is searched under (fifo, priority, preemptive)
  std::optional<std::string> search_link = {};
  std::optional<std::int64_t> search_k = {};  ///< data_parallel: the k that the search chose
  std::optional<std::vector<std::int64_t>> search_evaluated = {};  ///< data_parallel: every k that it tried
  /// data_parallel: the largest k that memory allows, the number of layers without a limit; reverse_first_k_memory: by
  /// limit the largest k, 0 where nothing fits
  json::Text max_k = {};
  /// data_parallel: best of all orders, in the time unit of the step; of up to 6 layers alone
  std::optional<double> optimum_nonpreemptive = {};
  /// multi_region: without a second stream, in the time unit of the step
  std::optional<double> one_stream_makespan = {};
  std::optional<training_parts::Regions> algorithm1 = {};  ///< multi_region: by Algorithm 1
  std::optional<training_parts::RegionsInMemory> with_memory = {};  ///< multi_region: with its memory fallback
  /// reverse_first_k_memory: memory by k, from 0 on, in the unit of the file
  std::optional<std::vector<double>> f = {};
  std::optional<std::vector<double>> limits = {};  ///< reverse_first_k_memory: memory limits, in the unit of the file
  std::map<std::string, training_parts::Detail> details = {};  ///< data_parallel: the run by a rule of the link and k

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("kind", self.kind); f("unit", self.unit); f("verdict", self.verdict);
    f("costs", self.costs); f("layers", self.layers); f("memory_limit", self.memory_limit);
    f("policies", self.policies); f("scans", self.scans); f("best", self.best); f("policy", self.policy);
    f("makespan", self.makespan); f("busy", self.busy); f("utilisation", self.utilisation);
    f("bubble_fraction", self.bubble_fraction); f("peak_act", self.peak_act); f("peak_grad", self.peak_grad);
    f("peak_act_plus_grad", self.peak_act_plus_grad); f("exact", self.exact); f("trace", self.trace);
    f("optimum", self.optimum); f("peak_act_bytes", self.peak_act_bytes); f("peak_grad_bytes", self.peak_grad_bytes);
    f("peak_act_plus_grad_bytes", self.peak_act_plus_grad_bytes); f("weight_bytes", self.weight_bytes);
    f("memory_bytes", self.memory_bytes); f("weight_versions", self.weight_versions); f("staleness", self.staleness);
    f("stage_time", self.stage_time); f("period_lower_bound", self.period_lower_bound);
    f("makespan_by_link_and_k", self.makespan_by_link_and_k); f("search_link", self.search_link);
    f("search_k", self.search_k); f("search_evaluated", self.search_evaluated); f("max_k", self.max_k);
    f("optimum_nonpreemptive", self.optimum_nonpreemptive); f("one_stream_makespan", self.one_stream_makespan);
    f("algorithm1", self.algorithm1); f("with_memory", self.with_memory); f("f", self.f); f("limits", self.limits);
    f(json::Prefix{"detail_"}, self.details);
  }
};
/// What `upsweep training` is asked. Simulate a whole training step: pipeline- and data-parallel schedules,
/// out-of-order back-propagation.
struct TrainingRequest {
  std::vector<Input> inputs = {};  ///< FILE
  /// look for the shortest step of all, this long for each problem (of at most 2000 operations and transfers)
  std::optional<double> optimum = {};
  /// predict seconds on this machine: a file, or a name that `upsweep machines` lists, as a100-sxm4-80gb
  std::optional<std::string> machine = {};
  /// with the machine file of a GPU: how kernels are started, one by one by the host, as a graph, or as a graph with
  /// one kernel for all ops of a level (eager, graph, fused); default: graph; of validate what the backend does
  std::optional<std::string> launch = {};
  /// with the machine file of a GPU: whose sparse products, of those with rates in it, or roofline: the datasheet's;
  /// default: the first of the file
  std::optional<std::string> library = {};
  std::optional<std::int64_t> batch = {};  ///< samples of a step instead of those of the file
  /// what the table shows of timelines (labels, kinds, none); default: labels
  std::optional<std::string> timeline = {};
  bool costs = false;  ///< add a table of the layers' costs
  std::optional<std::string> db = {};  ///< SQLite file that keeps the run, its tasks and figures

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("optimum", optimum);
    all.add("machine", machine);
    all.add("launch", launch);
    all.add("library", library);
    all.add("batch", batch);
    all.add("timeline", timeline);
    all.add("costs", costs);
    all.add("db", db);
    return all.json();
  }
};
/// Runs `upsweep training`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline TrainingOutcome run(const TrainingRequest& request, const Told& told = {}) {
  return json::read<TrainingOutcome>(upsweep::run("training", request.inputs, request.settings(), told).json());
}

// study

namespace study_parts {
/// What an axis changes.
struct Column {
  std::string path = {};  ///< path of the field
  bool factor = false;  ///< whether values multiply what stands there
  std::string first = {};  ///< its first value
  std::string last = {};  ///< its last value

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("path", self.path); f("factor", self.factor); f("first", self.first); f("last", self.last);
  }
};
/// An axis of the grid.
struct Axis {
  std::string name = {};  ///< its name
  std::int64_t size = 0;  ///< values
  std::vector<Column> columns = {};  ///< several of a zipped axis

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("size", self.size); f("columns", self.columns);
  }
};
/// The study.
struct Study {
  std::string name = {};  ///< its name
  std::string description = {};  ///< what its file says of it; empty without
  std::string file = {};  ///< its file
  std::string content_hash = {};  ///< hash of its file and of the models and machines that it names
  std::optional<std::int64_t> id = {};  ///< its number in the database; null without one
  std::string model = {};  ///< file of the model; the study's own where the model stands in it
  std::optional<std::string> machine = {};  ///< file of the machine; null without
  std::vector<Axis> axes = {};  ///< the last one fastest
  std::vector<std::string> constraints = {};  ///< as its file has them
  std::vector<std::string> questions = {};  ///< kinds of the questions

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("description", self.description); f("file", self.file);
    f("content_hash", self.content_hash); f("id", self.id); f("model", self.model); f("machine", self.machine);
    f("axes", self.axes); f("constraints", self.constraints); f("questions", self.questions);
  }
};
/// How many points there are.
struct Points {
  std::int64_t total = 0;  ///< of the grid
  std::int64_t open = 0;  ///< not evaluated
  std::int64_t done = 0;  ///< with a score
  std::int64_t infeasible = 0;  ///< where nothing fits the memory
  std::int64_t invalid = 0;  ///< whose values make no valid model, machine or setting
  std::int64_t excluded = 0;  ///< that constraints leave out
  std::int64_t evaluated = 0;  ///< that were evaluated now
  std::int64_t found = 0;  ///< whose results other studies or earlier runs had stored
  std::int64_t resumed = 0;  ///< that this study had already
  bool interrupted = false;  ///< whether it was stopped
  double seconds = 0;  ///< seconds of evaluating
  double points_per_s = 0;  ///< points evaluated in a second; 0 where none was
  std::string unit = {};  ///< unit of scores (s, FLOPs)
  bool exact = false;  ///< false where counts are expectations

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("total", self.total); f("open", self.open); f("done", self.done); f("infeasible", self.infeasible);
    f("invalid", self.invalid); f("excluded", self.excluded); f("evaluated", self.evaluated); f("found", self.found);
    f("resumed", self.resumed); f("interrupted", self.interrupted); f("seconds", self.seconds);
    f("points_per_s", self.points_per_s); f("unit", self.unit); f("exact", self.exact);
  }
};
/// Where counts of models came from.
struct Cache {
  std::int64_t asked = 0;  ///< times that the counts of a network were needed
  std::int64_t in_memory = 0;  ///< of these, found in this process
  std::int64_t stored = 0;  ///< of these, found in the database
  std::int64_t counted = 0;  ///< of these, counted
  std::int64_t by_formula = 0;  ///< of these, from formulas of the image's size
  std::int64_t damaged = 0;  ///< found in the database, but not as they were kept: counted again
  double hit_rate = 0;  ///< share that was not counted, from 0 to 1

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("asked", self.asked); f("in_memory", self.in_memory); f("stored", self.stored); f("counted", self.counted);
    f("by_formula", self.by_formula); f("damaged", self.damaged); f("hit_rate", self.hit_rate);
  }
};
/// A point that is invalid.
struct Invalid {
  std::int64_t position = 0;  ///< in the grid, from 0
  std::map<std::string, std::string> at = {};  ///< its values by axis
  std::string reason = {};  ///< what is wrong

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("position", self.position); f("at", self.at); f("reason", self.reason);
  }
};
/// A point as the database has it. Figures are null where it is not done.
struct Row {
  std::int64_t study = 0;  ///< number of the study
  std::int64_t position = 0;  ///< in the grid, from 0
  Place coordinates = {};  ///< its values
  std::string status = {};  ///< what became of it (done, infeasible, invalid, excluded)
  std::optional<std::string> reason = {};  ///< why it is not done; null where it is
  std::optional<std::string> schedule = {};  ///< the best schedule of those asked for
  std::optional<std::int64_t> depth = {};  ///< its depth; null of other schemes
  std::optional<double> score = {};  ///< its score, in `unit`, of the whole batch
  std::optional<std::string> unit = {};  ///< unit of scores (s, FLOPs)
  std::optional<double> plain_score = {};  ///< score of plain back-propagation, in `unit`
  std::optional<double> dense_score = {};  ///< seconds of dense back-propagation; null where not predicted
  /// score of plain back-propagation over the graph, in `unit`; null without branches
  std::optional<double> graph_score = {};
  /// what a scan takes on top beside that and dense back-propagation, in `unit`; null without branches
  std::optional<double> blocks_score = {};
  std::optional<std::string> scan_schedule = {};  ///< the best scan
  std::optional<double> scan_score = {};  ///< its score, in `unit`; null where it does not fit
  std::optional<double> speedup = {};  ///< of that over the fastest back-propagation without a scan, above 1 is faster
  std::optional<double> margin = {};  ///< the runner-up's score over that of the best, less 1; null without a runner-up
  std::optional<std::int64_t> workers = {};  ///< workers
  std::optional<double> flops = {};  ///< FLOPs of the best schedule
  std::optional<double> levels = {};  ///< its levels
  std::optional<double> ops = {};  ///< its ops
  std::optional<double> steps = {};  ///< its step complexity
  std::optional<double> per_step_flops = {};  ///< FLOPs of its largest op
  std::optional<double> critical_path_flops = {};  ///< FLOPs of its critical path, of one input
  std::optional<double> peak_live_bytes = {};  ///< bytes of its live values in a level, at most
  std::optional<double> plain_bytes = {};  ///< bytes likewise of plain back-propagation
  std::optional<double> scan_bytes = {};  ///< bytes likewise of the best scan
  std::optional<double> bppsa_bytes = {};  ///< bytes of one worker by the formula of the scan
  std::optional<double> pipeline_bytes = {};  ///< bytes of one worker by the formula of a pipeline
  std::optional<double> memory_limit = {};  ///< bytes; null without a limit
  std::optional<std::int64_t> exact = {};  ///< 0 where counts are expectations, else 1
  std::optional<std::int64_t> elements = {};  ///< elements of the chain
  std::optional<std::string> model_hash = {};  ///< hash of the model
  std::optional<std::string> machine_hash = {};  ///< hash of the machine; null without
  std::optional<std::string> settings = {};  ///< the other settings, in words

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("study", self.study); f("position", self.position); f("coordinates", self.coordinates); f("status", self.status);
    f("reason", self.reason); f("schedule", self.schedule); f("depth", self.depth); f("score", self.score);
    f("unit", self.unit); f("plain_score", self.plain_score); f("dense_score", self.dense_score);
    f("graph_score", self.graph_score); f("blocks_score", self.blocks_score); f("scan_schedule", self.scan_schedule);
    f("scan_score", self.scan_score); f("speedup", self.speedup); f("margin", self.margin); f("workers", self.workers);
    f("flops", self.flops); f("levels", self.levels); f("ops", self.ops); f("steps", self.steps);
    f("per_step_flops", self.per_step_flops); f("critical_path_flops", self.critical_path_flops);
    f("peak_live_bytes", self.peak_live_bytes); f("plain_bytes", self.plain_bytes); f("scan_bytes", self.scan_bytes);
    f("bppsa_bytes", self.bppsa_bytes); f("pipeline_bytes", self.pipeline_bytes); f("memory_limit", self.memory_limit);
    f("exact", self.exact); f("elements", self.elements); f("model_hash", self.model_hash);
    f("machine_hash", self.machine_hash); f("settings", self.settings);
  }
};
}  // namespace study_parts
/// A grid of points and what was asked of it.
struct StudyOutcome {
  study_parts::Study study = {};  ///< the study
  study_parts::Points points = {};  ///< how many points there are
  study_parts::Cache cache = {};  ///< where counts came from
  std::vector<Answer> answers = {};  ///< to its questions; empty where it was stopped
  std::vector<study_parts::Invalid> invalid = {};  ///< the first points that are invalid, at most 100
  std::optional<std::vector<study_parts::Row>> rows = {};  ///< every point
  Verdict verdict = {};  ///< whether the scan pays along the axes

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("study", self.study); f("points", self.points); f("cache", self.cache); f("answers", self.answers);
    f("invalid", self.invalid); f("rows", self.rows); f("verdict", self.verdict);
  }
};
/// What `upsweep study` is asked. Evaluate a grid of what-if points and answer what a study file asks; goes on where it
/// was stopped.
struct StudyRequest {
  std::vector<Input> inputs = {};  ///< FILE
  std::optional<std::string> db = {};  ///< keep the points in this SQLite file, and go on with those that it has
  std::optional<std::int64_t> jobs = {};  ///< points at the same time; default: 1; under mpirun a rank is a job

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("jobs", jobs);
    return all.json();
  }
};
/// Runs `upsweep study`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline StudyOutcome run(const StudyRequest& request, const Told& told = {}) {
  return json::read<StudyOutcome>(upsweep::run("study", request.inputs, request.settings(), told).json());
}

// runs diff

namespace runs_diff_parts {
/// What differs.
struct Row {
  std::string kind = {};  ///< an input, the rule or version, or a figure (input, rule, figure)
  std::string name = {};  ///< name of the column in the database
  json::Text before = {};  ///< of the run before; null where it has none
  json::Text after = {};  ///< of the run after; null where it has none
  std::optional<double> ratio = {};  ///< after / before; null where they are no numbers, or of two units

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("kind", self.kind); f("name", self.name); f("before", self.before); f("after", self.after);
    f("ratio", self.ratio);
  }
};
}  // namespace runs_diff_parts
/// Why the numbers of two runs differ.
struct RunsDiffOutcome {
  std::int64_t before = 0;  ///< number of the run before
  std::int64_t after = 0;  ///< number of the run after
  std::vector<runs_diff_parts::Row> inputs = {};  ///< what was asked for
  std::vector<runs_diff_parts::Row> rules = {};  ///< rules of counting and versions
  std::vector<runs_diff_parts::Row> figures = {};  ///< figures

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("before", self.before); f("after", self.after); f("inputs", self.inputs); f("rules", self.rules);
    f("figures", self.figures);
  }
};
/// What `upsweep runs diff` is asked. List, show, compare and delete stored runs and studies.
struct RunsDiffRequest {
  std::vector<Input> inputs = {};  ///< A B, in this order
  std::optional<std::string> db = {};  ///< the SQLite file; default: upsweep.sqlite
  bool studies = false;  ///< list the studies alone
  bool candidates = false;  ///< list every candidate of a search, not the best alone (JSON and CSV always do)
  std::optional<std::string> model = {};  ///< list runs of models that have this in their name
  /// list runs on machines that have this in their name; studies, whose points have machines, are not listed then
  std::optional<std::string> machine = {};
  std::optional<std::string> command = {};  ///< list runs of this command: search, validate, ...
  std::optional<std::string> since = {};  ///< list runs from this day or time (UTC) on: 2026-11-27
  std::optional<std::string> until = {};  ///< list runs up to the end of this day or time (UTC)
  std::optional<std::int64_t> limit = {};  ///< list the runs of so many commands, the newest

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("studies", studies);
    all.add("candidates", candidates);
    all.add("model", model);
    all.add("machine", machine);
    all.add("command", command);
    all.add("since", since);
    all.add("until", until);
    all.add("limit", limit);
    return all.json();
  }
};
/// Runs `upsweep runs diff`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline RunsDiffOutcome run(const RunsDiffRequest& request, const Told& told = {}) {
  std::vector<Input> inputs = {Input("diff")};
  inputs.insert(inputs.end(), request.inputs.begin(), request.inputs.end());
  return json::read<RunsDiffOutcome>(upsweep::run("runs", inputs, request.settings(), told).json());
}

// runs list

namespace runs_list_parts {
/// A run.
struct Run {
  std::int64_t id = 0;  ///< number of the run
  std::string created_utc = {};  ///< when it was stored, UTC
  std::string command = {};  ///< its command
  std::optional<std::int64_t> search_id = {};  ///< number of the search; null of other runs
  std::string model = {};  ///< name of the model, of anchors the tables
  /// which entries count; null of passes, steps and anchors (guaranteed, sample)
  std::optional<std::string> pattern = {};
  std::optional<std::string> schedule = {};  ///< schedule, pass, or variant of the step
  std::optional<std::int64_t> depth = {};  ///< its depth; null of other schemes and kinds of run
  std::optional<std::int64_t> levels = {};  ///< its levels; null but of schedules, as the next
  std::optional<std::int64_t> ops = {};  ///< its ops
  std::optional<std::int64_t> workers = {};  ///< workers, threads or devices
  std::optional<double> flops = {};  ///< FLOPs
  std::optional<double> critical_path_level_flops = {};  ///< FLOPs of the most expensive op of each level added up
  std::optional<double> critical_path_dag_flops = {};  ///< FLOPs of the longest chain of ops
  std::optional<std::int64_t> steps = {};  ///< step complexity
  std::optional<double> makespan_level_flops = {};  ///< FLOPs on the workers with a barrier after each level
  std::optional<double> makespan_dag_flops = {};  ///< FLOPs on the workers without
  std::optional<double> peak_live_bytes = {};  ///< bytes of live values at most, of a pass bytes that it holds
  std::optional<double> linear_flops = {};  ///< FLOPs of plain back-propagation
  std::optional<double> makespan_dag_ratio_to_linear = {};  ///< makespan_dag_flops over linear_flops, below 1 is faster
  std::optional<double> baseline_flops = {};  ///< FLOPs of dense back-propagation
  /// makespan_dag_flops over baseline_flops, below 1 is faster
  std::optional<double> makespan_dag_ratio_to_baseline = {};
  /// what the search minimised; null of other runs, as the next two (time, critical-flops, work-flops)
  std::optional<std::string> objective = {};
  std::optional<std::string> execution = {};  ///< execution of the search (level, dag)
  std::optional<std::string> scope = {};  ///< ops of the search (all, live)
  std::optional<double> score = {};  ///< FLOPs or seconds that were compared
  std::optional<std::int64_t> feasible = {};  ///< 1: within the memory limit; null of other runs than a search's
  std::optional<std::string> reason = {};  ///< why it is not
  std::int64_t best = 0;  ///< 1: best depth of its search, or best pass
  std::optional<std::string> machine = {};  ///< name of the machine; null without
  /// predicted seconds with barriers; of a step and of a pass its seconds
  std::optional<double> predicted_level_s = {};
  std::optional<double> predicted_dag_s = {};  ///< predicted seconds without barriers
  std::optional<std::string> backend = {};  ///< where it ran last; null where it did not
  std::optional<double> measured_s = {};  ///< seconds measured last; null where it did not run
  std::int64_t best_of_all = 0;  ///< 1: best of all schedules, or passes, of its search
  std::optional<double> graph_bp_flops = {};  ///< FLOPs of plain back-propagation over the graph; null without branches
  std::optional<double> formation_flops = {};  ///< FLOPs of forming the Jacobians of blocks; null without branches
  std::int64_t command_id = 0;  ///< number of the command
  std::optional<std::int64_t> exact = {};  ///< 0: some counts are estimates; null of other runs than of schedules
  std::optional<double> flops_low = {};  ///< lower end of the 95 % interval of flops; null where they are counted
  std::optional<double> flops_high = {};  ///< upper end of it

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("command", self.command); f("search_id", self.search_id);
    f("model", self.model); f("pattern", self.pattern); f("schedule", self.schedule); f("depth", self.depth);
    f("levels", self.levels); f("ops", self.ops); f("workers", self.workers); f("flops", self.flops);
    f("critical_path_level_flops", self.critical_path_level_flops);
    f("critical_path_dag_flops", self.critical_path_dag_flops); f("steps", self.steps);
    f("makespan_level_flops", self.makespan_level_flops); f("makespan_dag_flops", self.makespan_dag_flops);
    f("peak_live_bytes", self.peak_live_bytes); f("linear_flops", self.linear_flops);
    f("makespan_dag_ratio_to_linear", self.makespan_dag_ratio_to_linear); f("baseline_flops", self.baseline_flops);
    f("makespan_dag_ratio_to_baseline", self.makespan_dag_ratio_to_baseline); f("objective", self.objective);
    f("execution", self.execution); f("scope", self.scope); f("score", self.score); f("feasible", self.feasible);
    f("reason", self.reason); f("best", self.best); f("machine", self.machine);
    f("predicted_level_s", self.predicted_level_s); f("predicted_dag_s", self.predicted_dag_s);
    f("backend", self.backend); f("measured_s", self.measured_s); f("best_of_all", self.best_of_all);
    f("graph_bp_flops", self.graph_bp_flops); f("formation_flops", self.formation_flops);
    f("command_id", self.command_id); f("exact", self.exact); f("flops_low", self.flops_low);
    f("flops_high", self.flops_high);
  }
};
/// A study.
struct Study {
  std::int64_t id = 0;  ///< number of the study
  std::string created_utc = {};  ///< when it began, UTC
  std::string name = {};  ///< its name
  std::int64_t points = 0;  ///< points of its grid
  std::int64_t stored = 0;  ///< of these stored
  std::int64_t complete = 0;  ///< 1: all are, and answers are those of all
  std::string tool_version = {};  ///< version of upsweep
  std::string file = {};  ///< its file

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("name", self.name); f("points", self.points);
    f("stored", self.stored); f("complete", self.complete); f("tool_version", self.tool_version); f("file", self.file);
  }
};
}  // namespace runs_list_parts
/// Runs, newest first, every candidate of a search among them; with --studies the studies instead.
struct RunsListOutcome {
  std::vector<runs_list_parts::Run> runs = {};  ///< A run.
  std::vector<runs_list_parts::Study> studies = {};  ///< A study.
};
inline void read(const json::Value& value, RunsListOutcome& out) {
  for (const json::Value& row : value.items()) {
    if (row.find("command") != nullptr) json::read(row, out.runs.emplace_back());
    if (row.find("name") != nullptr) json::read(row, out.studies.emplace_back());
  }
}
/// What `upsweep runs list` is asked. List, show, compare and delete stored runs and studies.
struct RunsListRequest {
  std::vector<Input> inputs = {};  ///< none
  std::optional<std::string> db = {};  ///< the SQLite file; default: upsweep.sqlite
  bool studies = false;  ///< list the studies alone
  bool candidates = false;  ///< list every candidate of a search, not the best alone (JSON and CSV always do)
  std::optional<std::string> model = {};  ///< list runs of models that have this in their name
  /// list runs on machines that have this in their name; studies, whose points have machines, are not listed then
  std::optional<std::string> machine = {};
  std::optional<std::string> command = {};  ///< list runs of this command: search, validate, ...
  std::optional<std::string> since = {};  ///< list runs from this day or time (UTC) on: 2026-11-27
  std::optional<std::string> until = {};  ///< list runs up to the end of this day or time (UTC)
  std::optional<std::int64_t> limit = {};  ///< list the runs of so many commands, the newest

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("studies", studies);
    all.add("candidates", candidates);
    all.add("model", model);
    all.add("machine", machine);
    all.add("command", command);
    all.add("since", since);
    all.add("until", until);
    all.add("limit", limit);
    return all.json();
  }
};
/// Runs `upsweep runs list`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline RunsListOutcome run(const RunsListRequest& request, const Told& told = {}) {
  std::vector<Input> inputs = {Input("list")};
  inputs.insert(inputs.end(), request.inputs.begin(), request.inputs.end());
  return json::read<RunsListOutcome>(upsweep::run("runs", inputs, request.settings(), told).json());
}

// runs show

namespace runs_show_parts {
/// A level.
struct StoredLevel {
  std::int64_t level = 0;  ///< from 0
  std::string phase = {};  ///< sweep (up, middle, down)
  std::int64_t ops = 0;  ///< ops
  std::int64_t dead_ops = 0;  ///< ops that no result depends on
  double flops_sum = 0;  ///< FLOPs of all ops
  double flops_max = 0;  ///< FLOPs of the largest
  std::optional<double> share_of_flops = {};  ///< share of the schedule's FLOPs, from 0 to 1; null where it has none
  double nnz = 0;  ///< entries of all results
  double bytes = 0;  ///< bytes of all results

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("level", self.level); f("phase", self.phase); f("ops", self.ops); f("dead_ops", self.dead_ops);
    f("flops_sum", self.flops_sum); f("flops_max", self.flops_max); f("share_of_flops", self.share_of_flops);
    f("nnz", self.nnz); f("bytes", self.bytes);
  }
};
/// A measurement, end to end or of a level.
struct Measured {
  std::int64_t measurement = 0;  ///< number of the measurement
  std::string backend = {};  ///< where it ran
  std::int64_t workers = 0;  ///< threads
  std::string execution = {};  ///< with barriers, or without (level, dag)
  std::optional<std::int64_t> level = {};  ///< which; null: end to end
  std::optional<double> predicted_s = {};  ///< predicted seconds; null without a machine
  double measured_s = 0;  ///< seconds, the median
  std::optional<double> error = {};  ///< predicted / measured - 1; null without a prediction

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("measurement", self.measurement); f("backend", self.backend); f("workers", self.workers);
    f("execution", self.execution); f("level", self.level); f("predicted_s", self.predicted_s);
    f("measured_s", self.measured_s); f("error", self.error);
  }
};
/// A schedule that was profiled, was a candidate of a search or was validated.
struct ScheduleRun {
  std::int64_t id = 0;  ///< number of the run
  std::string created_utc = {};  ///< when it was stored, UTC
  std::string tool_version = {};  ///< version of upsweep
  std::string parameters = {};  ///< arguments of the command, a text of JSON
  std::string command = {};  ///< its command (profile, search, validate)
  std::optional<std::int64_t> search_id = {};  ///< number of the search; null of other runs
  std::optional<double> score = {};  ///< FLOPs or seconds that were compared; null of validations
  std::optional<std::int64_t> feasible = {};  ///< 1: within the memory limit; null of other runs than a search's
  std::optional<std::string> reason = {};  ///< why it is not
  std::string model = {};  ///< name of the model
  std::string model_file = {};  ///< its file
  std::string model_hash = {};  ///< hash of network, masks, values, inputs and seeds
  std::string pattern = {};  ///< which entries count (guaranteed, sample)
  std::int64_t inputs = 0;  ///< over which counts are means
  std::string requested = {};  ///< the schedule as it was asked for
  std::string schedule = {};  ///< its name
  std::optional<std::int64_t> depth = {};  ///< its depth; null of other schemes
  std::int64_t length = 0;  ///< elements of the scan array
  std::int64_t levels = 0;  ///< levels
  std::int64_t workers = 0;  ///< workers
  std::int64_t ops = 0;  ///< ops
  double flops = 0;  ///< FLOPs of all ops
  double critical_path_level_flops = 0;  ///< FLOPs of the most expensive op of each level added up
  double critical_path_dag_flops = 0;  ///< FLOPs of the longest chain of ops
  std::int64_t live_ops = 0;  ///< ops without dead ones
  double live_flops = 0;  ///< their FLOPs
  double live_critical_path_level_flops = 0;  ///< as above, without dead ops
  double live_critical_path_dag_flops = 0;  ///< as above, without dead ops
  double baseline_flops = 0;  ///< FLOPs of dense back-propagation
  double linear_flops = 0;  ///< FLOPs of plain back-propagation
  double chain_build_values = 0;  ///< Jacobian values that are written
  double chain_build_bytes = 0;  ///< bytes of these
  std::int64_t steps = 0;  ///< step complexity
  double per_step_flops = 0;  ///< FLOPs of the largest op
  std::int64_t makespan_level_unit = 0;  ///< steps on the workers with barriers
  double makespan_level_flops = 0;  ///< FLOPs on the workers with barriers
  std::int64_t makespan_dag_unit = 0;  ///< steps on the workers without barriers
  double makespan_dag_flops = 0;  ///< FLOPs on the workers without barriers
  double peak_live_bytes = 0;  ///< bytes of live values in a level, at most
  std::optional<std::int64_t> machine_id = {};  ///< number of the machine; null without
  std::optional<std::string> machine = {};  ///< name of the machine; null without
  std::optional<double> predicted_level_s = {};  ///< predicted seconds with barriers; null without a machine
  std::optional<double> predicted_dag_s = {};  ///< predicted seconds without barriers; null without a machine
  std::optional<double> predicted_build_s = {};  ///< predicted seconds of building the chain; null without a machine
  /// FLOPs of plain back-propagation over the graph; null, as the next, without branches
  std::optional<double> graph_bp_flops = {};
  std::optional<double> formation_flops = {};  ///< FLOPs of forming the Jacobians of blocks
  std::string rule = {};  ///< rule of counting
  /// of what twice as much helps most; null without a machine (workers, latency, bandwidth, arithmetic)
  std::optional<std::string> binding = {};
  /// FLOPs on the workers of back-propagation over the graph, with barriers; null without branches, as the next three
  std::optional<double> graph_bp_makespan_level_flops = {};
  std::optional<double> graph_bp_makespan_dag_flops = {};  ///< the same without barriers
  /// FLOPs on the workers of what a scan leaves to do: Jacobians of blocks and gradients inside them, with barriers
  std::optional<double> branch_makespan_level_flops = {};
  std::optional<double> branch_makespan_dag_flops = {};  ///< the same without barriers
  std::int64_t command_id = 0;  ///< number of the command
  std::optional<std::string> verdict = {};  ///< what the command said at its end
  /// the largest ratio of its baselines, which decides, below 1 the scan is faster; null where it is not known
  std::optional<double> verdict_ratio = {};
  /// `verdict` of the command as text of JSON; null where there is none
  std::optional<std::string> verdict_details = {};
  /// FLOPs on the workers where they share ops; null of databases of old versions
  std::optional<double> makespan_shared_flops = {};
  std::optional<double> bound_shared_flops = {};  ///< FLOPs below which no schedule of such ops is; null likewise
  std::int64_t exact = 0;  ///< 0: some counts are estimates
  /// lower end of a 95 % interval, as the next ones; null where counts are exact
  std::optional<double> flops_low = {};
  std::optional<double> flops_high = {};  ///< upper end, of flops
  std::optional<double> score_low = {};  ///< lower end, of score
  std::optional<double> score_high = {};  ///< upper end, of score
  std::optional<double> makespan_dag_low = {};  ///< lower end, of makespan_dag_flops
  std::optional<double> makespan_dag_high = {};  ///< upper end, of makespan_dag_flops
  std::optional<double> makespan_shared_low = {};  ///< lower end, of makespan_shared_flops
  std::optional<double> makespan_shared_high = {};  ///< upper end, of makespan_shared_flops
  std::vector<StoredLevel> level_profile = {};  ///< its levels
  std::vector<Measured> prediction_vs_measurement = {};  ///< empty where it did not run

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("tool_version", self.tool_version);
    f("parameters", self.parameters); f("command", self.command); f("search_id", self.search_id);
    f("score", self.score); f("feasible", self.feasible); f("reason", self.reason); f("model", self.model);
    f("model_file", self.model_file); f("model_hash", self.model_hash); f("pattern", self.pattern);
    f("inputs", self.inputs); f("requested", self.requested); f("schedule", self.schedule); f("depth", self.depth);
    f("length", self.length); f("levels", self.levels); f("workers", self.workers); f("ops", self.ops);
    f("flops", self.flops); f("critical_path_level_flops", self.critical_path_level_flops);
    f("critical_path_dag_flops", self.critical_path_dag_flops); f("live_ops", self.live_ops);
    f("live_flops", self.live_flops); f("live_critical_path_level_flops", self.live_critical_path_level_flops);
    f("live_critical_path_dag_flops", self.live_critical_path_dag_flops); f("baseline_flops", self.baseline_flops);
    f("linear_flops", self.linear_flops); f("chain_build_values", self.chain_build_values);
    f("chain_build_bytes", self.chain_build_bytes); f("steps", self.steps); f("per_step_flops", self.per_step_flops);
    f("makespan_level_unit", self.makespan_level_unit); f("makespan_level_flops", self.makespan_level_flops);
    f("makespan_dag_unit", self.makespan_dag_unit); f("makespan_dag_flops", self.makespan_dag_flops);
    f("peak_live_bytes", self.peak_live_bytes); f("machine_id", self.machine_id); f("machine", self.machine);
    f("predicted_level_s", self.predicted_level_s); f("predicted_dag_s", self.predicted_dag_s);
    f("predicted_build_s", self.predicted_build_s); f("graph_bp_flops", self.graph_bp_flops);
    f("formation_flops", self.formation_flops); f("rule", self.rule); f("binding", self.binding);
    f("graph_bp_makespan_level_flops", self.graph_bp_makespan_level_flops);
    f("graph_bp_makespan_dag_flops", self.graph_bp_makespan_dag_flops);
    f("branch_makespan_level_flops", self.branch_makespan_level_flops);
    f("branch_makespan_dag_flops", self.branch_makespan_dag_flops); f("command_id", self.command_id);
    f("verdict", self.verdict); f("verdict_ratio", self.verdict_ratio); f("verdict_details", self.verdict_details);
    f("makespan_shared_flops", self.makespan_shared_flops); f("bound_shared_flops", self.bound_shared_flops);
    f("exact", self.exact); f("flops_low", self.flops_low); f("flops_high", self.flops_high);
    f("score_low", self.score_low); f("score_high", self.score_high); f("makespan_dag_low", self.makespan_dag_low);
    f("makespan_dag_high", self.makespan_dag_high); f("makespan_shared_low", self.makespan_shared_low);
    f("makespan_shared_high", self.makespan_shared_high); f("level_profile", self.level_profile);
    f("prediction_vs_measurement", self.prediction_vs_measurement);
  }
};
/// A backward pass.
struct StoredPass {
  std::int64_t run_id = 0;  ///< number of the run
  std::int64_t pass = 0;  ///< from 0; 0 is the baseline of validate and train
  std::string method = {};  ///< bptt, bp, linear, hybrid:L, blelloch, blocked:P, or a way through a stack
  std::optional<std::string> backend = {};  ///< where it ran; null where it did not
  std::optional<std::int64_t> best = {};  ///< 1: of the search, or the fastest that ran; null where nothing is compared
  std::optional<std::string> failure = {};  ///< why it did not run or does not fit; null where it did
  std::optional<std::string> mismatch = {};  ///< what is wrong; null where nothing is
  std::optional<double> flops = {};  ///< FLOPs of the batch; of one sequence in profile and search without a machine
  std::optional<double> bytes = {};  ///< bytes that it holds
  std::optional<double> critical_path_flops = {};  ///< FLOPs of its critical path; null where it was not counted
  std::optional<double> makespan_flops = {};  ///< FLOPs on the workers; null where it was not counted
  std::optional<double> predicted_jacobians_s = {};  ///< predicted seconds of forming Jacobians; null without a machine
  std::optional<double> predicted_up_s = {};  ///< predicted seconds of the up-sweep
  std::optional<double> predicted_middle_s = {};  ///< predicted seconds between the sweeps
  std::optional<double> predicted_down_s = {};  ///< predicted seconds of the down-sweep, or of a sequential pass
  std::optional<double> predicted_s = {};  ///< predicted seconds of all of these
  std::optional<double> measured_jacobians_s = {};  ///< the same measured; null where it did not run
  std::optional<double> measured_up_s = {};  ///< the same measured
  std::optional<double> measured_middle_s = {};  ///< the same measured
  std::optional<double> measured_down_s = {};  ///< the same measured
  std::optional<double> measured_s = {};  ///< measured seconds of all of these
  /// the largest difference of a gradient over its rounding bound; null where not compared
  std::optional<double> worst_share_of_bound = {};
  /// the largest difference of its losses from those of pass 0; of trainings alone
  std::optional<double> loss_difference = {};

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("run_id", self.run_id); f("pass", self.pass); f("method", self.method); f("backend", self.backend);
    f("best", self.best); f("failure", self.failure); f("mismatch", self.mismatch); f("flops", self.flops);
    f("bytes", self.bytes); f("critical_path_flops", self.critical_path_flops);
    f("makespan_flops", self.makespan_flops); f("predicted_jacobians_s", self.predicted_jacobians_s);
    f("predicted_up_s", self.predicted_up_s); f("predicted_middle_s", self.predicted_middle_s);
    f("predicted_down_s", self.predicted_down_s); f("predicted_s", self.predicted_s);
    f("measured_jacobians_s", self.measured_jacobians_s); f("measured_up_s", self.measured_up_s);
    f("measured_middle_s", self.measured_middle_s); f("measured_down_s", self.measured_down_s);
    f("measured_s", self.measured_s); f("worst_share_of_bound", self.worst_share_of_bound);
    f("loss_difference", self.loss_difference);
  }
};
/// A loss of a training.
struct Loss {
  std::string method = {};  ///< the pass
  std::int64_t iteration = 0;  ///< from 0
  double loss = 0;  ///< the loss
  double accuracy = 0;  ///< share of the batch that is classified right, from 0 to 1

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("method", self.method); f("iteration", self.iteration); f("loss", self.loss); f("accuracy", self.accuracy);
  }
};
/// A backward pass in short.
struct PassSummary {
  std::string method = {};  ///< the pass
  std::optional<std::string> backend = {};  ///< where it ran; null where it did not
  std::optional<double> flops = {};  ///< FLOPs
  std::optional<double> bytes = {};  ///< bytes that it holds
  std::optional<double> predicted_s = {};  ///< predicted seconds; null without a prediction
  std::optional<double> measured_s = {};  ///< measured seconds; null where it did not run
  std::optional<double> error = {};  ///< predicted / measured - 1; null where one is missing
  std::optional<double> ratio_to_first = {};  ///< seconds over those of pass 0, below 1 is faster
  std::optional<double> worst_share_of_bound = {};  ///< as in `passes`
  std::optional<double> loss_difference = {};  ///< as in `passes`
  std::optional<std::string> mismatch = {};  ///< as in `passes`
  std::optional<std::string> failure = {};  ///< as in `passes`

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("method", self.method); f("backend", self.backend); f("flops", self.flops); f("bytes", self.bytes);
    f("predicted_s", self.predicted_s); f("measured_s", self.measured_s); f("error", self.error);
    f("ratio_to_first", self.ratio_to_first); f("worst_share_of_bound", self.worst_share_of_bound);
    f("loss_difference", self.loss_difference); f("mismatch", self.mismatch); f("failure", self.failure);
  }
};
/// Backward passes of a recurrent model, or a training.
struct PassRun {
  std::int64_t id = 0;  ///< number of the run
  std::string created_utc = {};  ///< when it was stored, UTC
  std::string tool_version = {};  ///< version of upsweep
  std::string parameters = {};  ///< arguments of the command, a text of JSON
  std::string command = {};  ///< its command (profile, search, validate, train)
  std::string model = {};  ///< name of the model
  std::string model_file = {};  ///< its file
  std::string content_hash = {};  ///< hash of the files
  std::string network = {};  ///< rnn tanh, rnn relu, gru or operators
  std::optional<std::int64_t> hidden = {};  ///< hidden elements; null of networks of operators
  std::optional<std::int64_t> steps = {};  ///< length of the sequences; null of networks of operators
  std::int64_t batch = 0;  ///< sequences or samples of an iteration
  std::int64_t fused = 0;  ///< 1: one Jacobian per step
  std::string dtype = {};  ///< type of numbers (fp32, fp64)
  std::optional<std::string> machine = {};  ///< name of the machine that predicts; null without
  std::optional<std::string> device = {};  ///< what it ran on; null where it did not
  std::optional<std::string> driver = {};  ///< system or driver; null where it did not run
  std::int64_t workers = 0;  ///< workers or threads
  std::optional<double> forward_s = {};  ///< seconds of the forward pass, predicted or measured; null where not known
  std::optional<double> parameters_s = {};  ///< seconds of the gradients of parameters; likewise
  std::int64_t command_id = 0;  ///< number of the command
  std::optional<std::string> verdict = {};  ///< what the command said at its end
  /// the largest ratio of its baselines, which decides, below 1 the scan is faster; null where it is not known
  std::optional<double> verdict_ratio = {};
  /// `verdict` of the command as text of JSON; null where there is none
  std::optional<std::string> verdict_details = {};
  std::vector<StoredPass> passes = {};  ///< every pass
  std::vector<Loss> losses = {};  ///< of trainings; else empty
  std::vector<PassSummary> summary = {};  ///< passes in short

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("tool_version", self.tool_version);
    f("parameters", self.parameters); f("command", self.command); f("model", self.model);
    f("model_file", self.model_file); f("content_hash", self.content_hash); f("network", self.network);
    f("hidden", self.hidden); f("steps", self.steps); f("batch", self.batch); f("fused", self.fused);
    f("dtype", self.dtype); f("machine", self.machine); f("device", self.device); f("driver", self.driver);
    f("workers", self.workers); f("forward_s", self.forward_s); f("parameters_s", self.parameters_s);
    f("command_id", self.command_id); f("verdict", self.verdict); f("verdict_ratio", self.verdict_ratio);
    f("verdict_details", self.verdict_details); f("passes", self.passes); f("losses", self.losses);
    f("summary", self.summary);
  }
};
/// A figure of a variant.
struct Figure {
  std::string variant = {};  ///< which
  std::string figure = {};  ///< name of the figure, as in the JSON of `training`
  std::optional<std::int64_t> idx = {};  ///< device, layer, ... of a list; null of a single number
  double value = 0;  ///< its value, in the unit that it has there

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("variant", self.variant); f("figure", self.figure); f("idx", self.idx); f("value", self.value);
  }
};
/// A variant in short.
struct Variant {
  std::string variant = {};  ///< which
  double makespan = 0;  ///< length of the step, in `unit`
  /// share of devices' time that they are idle, from 0 to 1; null where not known
  std::optional<double> bubble_fraction = {};
  /// most activations and gradients on a device, in tensors of the file's micro-batches; null where not known
  std::optional<double> peak_tensors = {};
  std::optional<double> memory_bytes = {};  ///< most bytes on a device, weights included; null where they are not known
  std::optional<std::int64_t> does_not_fit = {};  ///< 1: it needs more than the memory limit; null of others
  std::int64_t best = 0;  ///< 1: the shortest that fits

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("variant", self.variant); f("makespan", self.makespan); f("bubble_fraction", self.bubble_fraction);
    f("peak_tensors", self.peak_tensors); f("memory_bytes", self.memory_bytes); f("does_not_fit", self.does_not_fit);
    f("best", self.best);
  }
};
/// A simulated training step.
struct TrainingRun {
  std::int64_t id = 0;  ///< number of the run
  std::string created_utc = {};  ///< when it was stored, UTC
  std::string tool_version = {};  ///< version of upsweep
  std::string parameters = {};  ///< arguments of the command, a text of JSON
  std::string name = {};  ///< name of the training file
  std::string kind = {};  ///< kind of step (pipeline, data_parallel, multi_region, reverse_first_k_memory)
  std::string file = {};  ///< its file
  std::string content_hash = {};  ///< hash of everything that figures depend on
  std::optional<std::string> unit = {};  ///< unit of times; null: that of the file (s)
  /// where costs come from; null, as the next three, where they stand in the file
  std::optional<std::string> model = {};
  std::optional<std::string> machine = {};  ///< name of the machine
  std::optional<std::string> link = {};  ///< name of the link; null without
  std::optional<std::string> kernels = {};  ///< sparse products, or dense kernels (csr, dense)
  std::int64_t devices = 0;  ///< devices
  std::optional<std::string> best = {};  ///< variant of the shortest step that fits; null where there is none
  std::optional<double> best_makespan = {};  ///< its length, in `unit`
  std::int64_t command_id = 0;  ///< number of the command
  std::optional<std::string> verdict = {};  ///< what the command said at its end
  /// the largest ratio of its baselines, which decides, below 1 the scan is faster; null where it is not known
  std::optional<double> verdict_ratio = {};
  /// `verdict` of the command as text of JSON; null where there is none
  std::optional<std::string> verdict_details = {};
  std::vector<Figure> figures = {};  ///< every figure of every variant
  std::vector<Variant> summary = {};  ///< variants in short

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("tool_version", self.tool_version);
    f("parameters", self.parameters); f("name", self.name); f("kind", self.kind); f("file", self.file);
    f("content_hash", self.content_hash); f("unit", self.unit); f("model", self.model); f("machine", self.machine);
    f("link", self.link); f("kernels", self.kernels); f("devices", self.devices); f("best", self.best);
    f("best_makespan", self.best_makespan); f("command_id", self.command_id); f("verdict", self.verdict);
    f("verdict_ratio", self.verdict_ratio); f("verdict_details", self.verdict_details); f("figures", self.figures);
    f("summary", self.summary);
  }
};
/// Points of a family, device and library in short.
struct AnchorFamily {
  std::int64_t run = 0;  ///< number of the run
  std::string family = {};  ///< spgemm, scan, recurrent, validation, ...
  std::string device = {};  ///< device as the table calls it
  std::string library = {};  ///< library as the table calls it
  std::optional<std::string> machine = {};  ///< machine that predicts; null where nobody knows the device
  std::int64_t points = 0;  ///< rows that are predicted beside a time
  /// median of |predicted / measured - 1|; null, as other errors, without points
  std::optional<double> error_median = {};
  std::optional<double> error_p90 = {};  ///< 90th percentile of it
  std::optional<double> in_sample_median = {};  ///< the same by rates that rest on the row, too
  std::optional<double> in_sample_p90 = {};  ///< the same by rates that rest on the row, too
  std::optional<double> bound_median = {};  ///< the same of the datasheet's roofline
  std::optional<double> bound_p90 = {};  ///< the same of the datasheet's roofline
  std::optional<double> coverage = {};  ///< share of times within their intervals, from 0 to 1; null without intervals
  std::int64_t skipped = 0;  ///< rows that are not predicted
  std::int64_t failures_predicted = 0;  ///< failures of the library that were predicted
  std::int64_t failures_missed = 0;  ///< failures that were not
  std::int64_t false_alarms = 0;  ///< predicted where the library worked

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("run", self.run); f("family", self.family); f("device", self.device); f("library", self.library);
    f("machine", self.machine); f("points", self.points); f("error_median", self.error_median);
    f("error_p90", self.error_p90); f("in_sample_median", self.in_sample_median);
    f("in_sample_p90", self.in_sample_p90); f("bound_median", self.bound_median); f("bound_p90", self.bound_p90);
    f("coverage", self.coverage); f("skipped", self.skipped); f("failures_predicted", self.failures_predicted);
    f("failures_missed", self.failures_missed); f("false_alarms", self.false_alarms);
  }
};
/// A published or measured time.
struct AnchorPoint {
  std::string family = {};  ///< spgemm, scan, recurrent, validation, ...
  std::string device = {};  ///< device as the table calls it
  std::string library = {};  ///< library as the table calls it
  std::string file = {};  ///< table or database that it is from
  std::int64_t line = 0;  ///< line of the table, or run of the database
  std::optional<std::string> matrix = {};  ///< matrix; null where the table does not say
  std::optional<std::string> algorithm = {};  ///< algorithm; null where the table does not say
  std::string status = {};  ///< ok, library_error, or another word of the table
  /// whether the library is predicted to work; null where nothing is (ok, library_error)
  std::optional<std::string> predicted_status = {};
  std::optional<double> measured_s = {};  ///< seconds; null where the library failed
  std::optional<double> predicted_s = {};  ///< predicted seconds; null where not predicted
  std::optional<double> low_s = {};  ///< seconds from which on four of five times are; null without an interval
  std::optional<double> high_s = {};  ///< seconds up to which they are
  /// seconds by rates with its structure; null where they were not fitted to it
  std::optional<double> in_sample_s = {};
  std::optional<double> bound_s = {};  ///< seconds by the datasheet's roofline; null without one
  std::optional<std::string> binds = {};  ///< what most of the predicted time is; null where not predicted
  std::int64_t fitted = 0;  ///< 1: rates rest on it
  std::int64_t left_out = 0;  ///< 1: predicted without its structure
  std::optional<std::string> skipped = {};  ///< why it is not predicted; null where it is

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("family", self.family); f("device", self.device); f("library", self.library); f("file", self.file);
    f("line", self.line); f("matrix", self.matrix); f("algorithm", self.algorithm); f("status", self.status);
    f("predicted_status", self.predicted_status); f("measured_s", self.measured_s); f("predicted_s", self.predicted_s);
    f("low_s", self.low_s); f("high_s", self.high_s); f("in_sample_s", self.in_sample_s); f("bound_s", self.bound_s);
    f("binds", self.binds); f("fitted", self.fitted); f("left_out", self.left_out); f("skipped", self.skipped);
  }
};
/// Predictions beside published times.
struct AnchorRun {
  std::int64_t id = 0;  ///< number of the run
  std::string created_utc = {};  ///< when it was stored, UTC
  std::string tool_version = {};  ///< version of upsweep
  std::string parameters = {};  ///< arguments of the command, a text of JSON
  std::string files = {};  ///< the tables, with commas
  std::string content_hash = {};  ///< hash of the tables and the machines that predict
  std::int64_t command_id = 0;  ///< number of the command
  std::vector<AnchorFamily> summary = {};  ///< by family, device and library
  std::vector<AnchorPoint> points = {};  ///< every row

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("tool_version", self.tool_version);
    f("parameters", self.parameters); f("files", self.files); f("content_hash", self.content_hash);
    f("command_id", self.command_id); f("summary", self.summary); f("points", self.points);
  }
};
/// An axis of the grid.
struct StoredAxis {
  std::string name = {};  ///< its name
  std::vector<json::Text> values = {};  ///< of its first column

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("name", self.name); f("values", self.values);
  }
};
/// A study, with --study.
struct StoredStudy {
  std::int64_t id = 0;  ///< number of the study
  std::string created_utc = {};  ///< when it began, UTC
  std::optional<std::string> finished_utc = {};  ///< when its last answers were given, UTC; null without
  std::string tool_version = {};  ///< version of upsweep
  std::string parameters = {};  ///< arguments of the command that began it, a text of JSON
  std::string rule = {};  ///< rule of counting
  std::string name = {};  ///< its name
  std::string file = {};  ///< its file
  std::string content_hash = {};  ///< hash of its file and of the models and machines that it names
  std::int64_t points = 0;  ///< points of its grid
  std::int64_t complete = 0;  ///< 1: all are stored, and answers are those of all
  std::vector<StoredAxis> axes = {};  ///< its axes
  std::vector<Answer> answers = {};  ///< to its questions

  template <class Self, class F>
  static void each_member(Self& self, const F& f) {
    f("id", self.id); f("created_utc", self.created_utc); f("finished_utc", self.finished_utc);
    f("tool_version", self.tool_version); f("parameters", self.parameters); f("rule", self.rule); f("name", self.name);
    f("file", self.file); f("content_hash", self.content_hash); f("points", self.points); f("complete", self.complete);
    f("axes", self.axes); f("answers", self.answers);
  }
};
}  // namespace runs_show_parts
/// A run of a schedule, of backward passes, of a training step or of published times, or a study.
struct RunsShowOutcome {
  /// A schedule that was profiled, was a candidate of a search or was validated.
  std::optional<runs_show_parts::ScheduleRun> schedule_run = {};
  std::optional<runs_show_parts::PassRun> pass_run = {};  ///< Backward passes of a recurrent model, or a training.
  std::optional<runs_show_parts::TrainingRun> training_run = {};  ///< A simulated training step.
  std::optional<runs_show_parts::AnchorRun> anchor_run = {};  ///< Predictions beside published times.
  std::optional<runs_show_parts::StoredStudy> stored_study = {};  ///< A study, with --study.
};
inline void read(const json::Value& value, RunsShowOutcome& out) {
  if (value.find("search_id") != nullptr) json::read(value, out.schedule_run.emplace());
  if (value.find("network") != nullptr) json::read(value, out.pass_run.emplace());
  if (value.find("kind") != nullptr) json::read(value, out.training_run.emplace());
  if (value.find("files") != nullptr) json::read(value, out.anchor_run.emplace());
  if (value.find("finished_utc") != nullptr) json::read(value, out.stored_study.emplace());
}
/// What `upsweep runs show` is asked. List, show, compare and delete stored runs and studies.
struct RunsShowRequest {
  std::vector<Input> inputs = {};  ///< ID
  std::optional<std::string> db = {};  ///< the SQLite file; default: upsweep.sqlite
  bool studies = false;  ///< list the studies alone
  bool candidates = false;  ///< list every candidate of a search, not the best alone (JSON and CSV always do)
  std::optional<std::string> model = {};  ///< list runs of models that have this in their name
  /// list runs on machines that have this in their name; studies, whose points have machines, are not listed then
  std::optional<std::string> machine = {};
  std::optional<std::string> command = {};  ///< list runs of this command: search, validate, ...
  std::optional<std::string> since = {};  ///< list runs from this day or time (UTC) on: 2026-11-27
  std::optional<std::string> until = {};  ///< list runs up to the end of this day or time (UTC)
  std::optional<std::int64_t> limit = {};  ///< list the runs of so many commands, the newest

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("studies", studies);
    all.add("candidates", candidates);
    all.add("model", model);
    all.add("machine", machine);
    all.add("command", command);
    all.add("since", since);
    all.add("until", until);
    all.add("limit", limit);
    return all.json();
  }
};
/// Runs `upsweep runs show`. Throws Error where nothing was found and json::ReadError.
[[nodiscard]] inline RunsShowOutcome run(const RunsShowRequest& request, const Told& told = {}) {
  std::vector<Input> inputs = {Input("show")};
  inputs.insert(inputs.end(), request.inputs.begin(), request.inputs.end());
  return json::read<RunsShowOutcome>(upsweep::run("runs", inputs, request.settings(), told).json());
}

// report

/// What `upsweep report` is asked. Write one HTML page, to look at and to mail, about the runs and studies of a
/// database.
struct ReportRequest {
  std::vector<Input> inputs = {};  ///< none
  std::optional<std::string> db = {};  ///< the SQLite file; default: upsweep.sqlite
  std::optional<std::string> out = {};  ///< the page to write: a name that ends with .html
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
  std::optional<std::int64_t> run = {};  ///< this run alone; default: all
  std::optional<std::int64_t> study = {};  ///< this study alone

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("out", out);
    all.add("force", force);
    all.add("run", run);
    all.add("study", study);
    return all.json();
  }
};
/// Runs `upsweep report`. Throws Error where nothing was found.
[[nodiscard]] inline Result run(const ReportRequest& request, const Told& told = {}) {
  return upsweep::run("report", request.inputs, request.settings(), told);
}

// trace

/// What `upsweep trace` is asked. Write what simulated workers do in a run, for ui.perfetto.dev or chrome://tracing to
/// show.
struct TraceRequest {
  std::vector<Input> inputs = {};  ///< none
  std::optional<std::string> db = {};  ///< the SQLite file; default: upsweep.sqlite
  std::optional<std::int64_t> run = {};  ///< number of the run, as 'upsweep runs' lists them
  std::optional<std::string> out = {};  ///< the trace to write: a name that ends with .json
  bool force = false;  ///< replace a file of that name that upsweep did not write, too

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("run", run);
    all.add("out", out);
    all.add("force", force);
    return all.json();
  }
};
/// Runs `upsweep trace`. Throws Error where nothing was found.
[[nodiscard]] inline Result run(const TraceRequest& request, const Told& told = {}) {
  return upsweep::run("trace", request.inputs, request.settings(), told);
}

// plot

/// What `upsweep plot` is asked. Draw one figure of a run or a study as SVG, by Node.js.
struct PlotRequest {
  std::vector<Input> inputs = {};  ///< KIND
  std::optional<std::string> db = {};  ///< the SQLite file; default: upsweep.sqlite
  std::optional<std::int64_t> run = {};  ///< number of the run, as 'upsweep runs' lists them
  std::optional<std::int64_t> study = {};  ///< number of the study, for the figures study-...
  std::optional<std::int64_t> number = {};  ///< which one, where a study has several; default: 1
  std::optional<double> width = {};  ///< pixels; default: as the figure is made
  std::optional<std::string> theme = {};  ///< light or dark; default: light
  std::optional<std::string> out = {};  ///< the picture to write: a name that ends with .svg
  bool force = false;  ///< replace a file of that name that upsweep did not write, too

  /// As run() of upsweep.hpp takes them.
  [[nodiscard]] std::string settings() const {
    json::Settings all;
    all.add("db", db);
    all.add("run", run);
    all.add("study", study);
    all.add("number", number);
    all.add("width", width);
    all.add("theme", theme);
    all.add("out", out);
    all.add("force", force);
    return all.json();
  }
};
/// Runs `upsweep plot`. Throws Error where nothing was found.
[[nodiscard]] inline Result run(const PlotRequest& request, const Told& told = {}) {
  return upsweep::run("plot", request.inputs, request.settings(), told);
}

}  // namespace upsweep::commands
