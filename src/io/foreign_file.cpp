#include "foreign_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace upsweep {
namespace {

using namespace std::string_view_literals;

struct ForeignKind {
  std::string_view begin;
  const char* what;
};

constexpr const char* kPicture = "a picture, which no command reads";
constexpr const char* kPickle =
    "a Python pickle, as torch.save() writes it: write the network by torch.onnx.export(), and give the .onnx file";

constexpr std::array kForeignKinds = {
    ForeignKind{"\x89PNG\r\n"sv, kPicture},
    ForeignKind{"\xff\xd8\xff"sv, kPicture},
    ForeignKind{"GIF8"sv, kPicture},
    ForeignKind{"%PDF-"sv, "a PDF document, which no command reads"},
    ForeignKind{
        "PK\x03\x04"sv,
        "a ZIP archive: of torch.save() (.pt), write the network by torch.onnx.export() and give the .onnx file; "
        "arrays (.npz) are named in a model file"},
    ForeignKind{"\x80\x02"sv, kPickle},
    ForeignKind{"\x80\x03"sv, kPickle},
    ForeignKind{"\x80\x04"sv, kPickle},
    ForeignKind{"\x80\x05"sv, kPickle},
    ForeignKind{"\x89HDF\r\n"sv,
                "an HDF5 file, as Keras writes it: convert the network to ONNX, and give the .onnx file"},
    ForeignKind{"\x1f\x8b"sv, "compressed by gzip: unpack it first, gzip -d"},
    ForeignKind{"\x93NUMPY"sv, "an array of NumPy: a model file names it"},
    ForeignKind{"SQLite format 3\0"sv, "an SQLite database: `upsweep runs --db FILE` lists what upsweep keeps in one"},
    ForeignKind{"\x7f"
                "ELF"sv,
                "a program"},
    ForeignKind{"\x08"sv, "an ONNX file, which search, profile and import take; the latter writes it as a model file"}};

/// A safetensors file begins with the length of its header, which is JSON.
bool is_safetensors(std::string_view begin) { return begin.size() > 8 && begin.substr(4, 5) == "\0\0\0\0{"sv; }

}  // namespace

std::string foreign_file(std::istream& in) {
  const std::istream::pos_type start = in.tellg();
  std::array<char, 16> bytes{};
  in.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(in.gcount()));
  in.clear();
  in.seekg(start);
  if (is_safetensors(begin)) return "a safetensors file: a model file names it, for its arrays";
  const auto kind =
      std::ranges::find_if(kForeignKinds, [&](const ForeignKind& one) { return begin.starts_with(one.begin); });
  return kind == kForeignKinds.end() ? "" : kind->what;
}

}  // namespace upsweep
