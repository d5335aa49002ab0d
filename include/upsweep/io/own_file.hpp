#pragma once

#include <string>
#include <string_view>

namespace upsweep {

// What files that this program writes have in their first bytes: only such a file is replaced without being asked.

inline constexpr std::string_view kMachineMark = "# written by upsweep calibrate\n";
inline constexpr std::string_view kModelMark = "# written by upsweep import\n";
inline constexpr std::string_view kArraysMark = R"("__metadata__":{"source":"written by upsweep import"})";
inline constexpr std::string_view kFigureMark = R"(data-source="written by upsweep")";
inline constexpr std::string_view kPageGenerator = "upsweep report";
inline constexpr std::string_view kPageMark = R"(<meta name="generator" content="upsweep report">)";
inline constexpr std::string_view kTraceMark = R"("source": "written by upsweep trace")";
/// The end of a .npy header, which may hold no text of ours: NumPy ends its own with "), }".
inline constexpr std::string_view kGradientMark = ",)}";

/// Whether the file at `path` has `mark` in its first 4 KiB. False where there is none, or it cannot be read.
[[nodiscard]] bool is_own_file(const std::string& path, std::string_view mark);

/// Whether the file at `path` has this text and nothing else. False where there is none, or it cannot be read.
[[nodiscard]] bool is_file_of(const std::string& path, std::string_view text);

}  // namespace upsweep
