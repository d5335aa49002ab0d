#pragma once

#include <array>

#include "upsweep/profile/network_profile.hpp"

// What an analysis has of counts, for code that goes through all of them.

namespace upsweep {

/// Counts of a combine; its FLOPs and steps beside.
inline constexpr std::array kOpCounts = {&OpProfile::m,           &OpProfile::k,         &OpProfile::n,
                                         &OpProfile::left_nnz,    &OpProfile::right_nnz, &OpProfile::nnz,
                                         &OpProfile::products,    &OpProfile::bytes,     &OpProfile::left_bytes,
                                         &OpProfile::right_bytes, &OpProfile::span};
inline constexpr std::array kOperatorCounts = {&OperatorProfile::rows, &OperatorProfile::cols, &OperatorProfile::nnz,
                                               &OperatorProfile::bytes, &OperatorProfile::baseline_flops};
inline constexpr std::array kLinkCounts = {&LinkProfile::rows, &LinkProfile::cols, &LinkProfile::nnz,
                                           &LinkProfile::bytes};
inline constexpr std::array kFormationCounts = {&FormationProfile::products, &FormationProfile::product_flops,
                                                &FormationProfile::additions, &FormationProfile::addition_flops,
                                                &FormationProfile::peak_bytes};
inline constexpr std::array kNetworkCounts = {
    &NetworkProfile::inputs,          &NetworkProfile::baseline_flops, &NetworkProfile::addition_flops,
    &NetworkProfile::linear_flops,    &NetworkProfile::build_values,   &NetworkProfile::build_bytes,
    &NetworkProfile::formation_flops, &NetworkProfile::pattern_rows,   &NetworkProfile::pattern_classes};

}  // namespace upsweep
