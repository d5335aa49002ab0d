#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

// What verdicts have in common wherever they are shown; sentences are plain text, not yet escaped.

/// Adds it to a document: its sentences, and the object `verdict` of JSON, which refers to it.
void add_verdict(Document& document, const Verdict& verdict);

/// The object `verdict` of JSON: frame (the fields of VerdictFrame, null where it has no such thing), pays (to_string()
/// or null), uncertain (Verdict::is_uncertain() or null), decided_by ("seconds" or "flops"), baselines, overtakes_from,
/// overtakes_first, overtakes_always_from, loses_again, overtakes_known (each of "whole" and "shared"), payback, parts
/// (the fields of VerdictParts, null where empty), sentence.
[[nodiscard]] Json verdict_json(const Verdict& verdict);

/// [low, high], or null.
[[nodiscard]] Json interval_json(const std::optional<Interval>& interval);

/// The sentence whether a scan pays, "UNDER: STANDING; BINDS.", of which the verdict keeps the parts.
[[nodiscard]] std::string standing_sentence(Verdict& verdict, std::string under, std::string standing,
                                            std::string binds = "");

/// A line for each sentence.
[[nodiscard]] std::string verdict_text(const Verdict& verdict);

/// The best scan beside a baseline, in seconds or FLOPs, and what follows: "hybrid:3 is 1.307x faster than plain BP:
/// the scan pays"; "there is no scan to compare with plain BP" without one. `plain`: what the baseline is called.
[[nodiscard]] std::string comparison_text(const Baseline& baseline, const std::string& plain, double same);

/// "yes", "only-if-ops-are-whole" or "no".
[[nodiscard]] std::string to_string(Pays pays);

/// "the scan pays", "the scan pays only if ops are whole", "the scan gains nothing" or "the scan does not pay";
/// "nothing follows for the scan" where that is not known.
[[nodiscard]] std::string pays_text(const Verdict& verdict);

/// Where scans overtake, as a sentence; empty where it was not looked for. `plain`: what back-propagation is called;
/// `scan`: the schedule where it is a single one, else empty; `frame`: what stands before, as "In FLOPs, ", or nothing.
[[nodiscard]] std::string overtaking_text(const std::optional<Overtakes>& overtakes, const std::string& plain,
                                          const std::string& scan = "", const std::string& frame = "");

/// Under what a verdict holds, for people, without a word before it: "16 workers, one input, dag execution, guaranteed
/// pattern, within 16 GiB", "NVIDIA A100 (11 workers), 32 inputs, level execution, kernels in a graph, sample pattern,
/// live ops".
[[nodiscard]] std::string frame_text(const VerdictFrame& frame);

/// "within 16 GiB", "within 40 tensors"; empty without a limit.
[[nodiscard]] std::string memory_limit_text(const VerdictFrame& frame);

/// After how many iterations a scan has paid back what it takes once, a sentence; `setup`: what that is, as "Planning".
[[nodiscard]] std::string payback_text(const Payback& payback, const std::string& setup);
/// Its object in JSON; null without one.
[[nodiscard]] Json payback_json(const std::optional<Payback>& payback);

/// "one input", "16 inputs", "one sequence".
[[nodiscard]] std::string batch_text(std::uint64_t batch, const std::string& input);

/// "1 worker", "16 workers"; "1 sequence", "16 sequences".
[[nodiscard]] std::string workers_text(std::uint64_t workers);
[[nodiscard]] std::string sequences_text(std::uint64_t sequences);

/// How kernels are started, for people: "kernels in a graph".
[[nodiscard]] std::string launch_text(LaunchMode mode);

/// to_string() of how a gpu's kernels are started, for JSON; null without a gpu.
[[nodiscard]] Json launch_json(const Machine* machine);

/// Whose sparse products a gpu's seconds stand for; empty where they are those of the datasheet.
[[nodiscard]] std::string library_name(const Machine* machine);

/// to_string() of how a gpu's kernels are started; empty without a gpu.
[[nodiscard]] std::string launch_name(const Machine* machine);

/// How many times as fast something is: "1.307x faster", "0.4928x as fast", "as fast" where that is once. `ratio` > 0:
/// its time, to that of the other; more is better in all that is shown.
[[nodiscard]] std::string speed_text(double ratio);
/// The same with what it is compared with: "1.307x faster than plain BP", "0.4928x as fast as plain BP".
[[nodiscard]] std::string speed_text(double ratio, const std::string& other);

/// How many times as fast, of the same ratio; nothing where there is none, or where one of both takes nothing.
[[nodiscard]] std::optional<double> speedup_of(const std::optional<double>& ratio);

/// "the scan pays", "the scan gains nothing" or "the scan does not pay".
[[nodiscard]] std::string pays_text(double ratio, double same);

}  // namespace upsweep
