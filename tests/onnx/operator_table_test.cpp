#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "onnx/importer.hpp"
#include "upsweep/network/operator.hpp"
#include "upsweep/onnx/torch_operators.hpp"

// docs/operators.md lists what the program has: all of it, and nothing else.

namespace upsweep::operator_table_test {
namespace {

using ::testing::IsSubsetOf;
using ::testing::UnorderedElementsAreArray;

/// The words of a column of the table.
std::set<std::string> words_of_column(std::size_t column) {
  std::ifstream in(std::string(UPSWEEP_SOURCE_DIR) + "/docs/operators.md");
  std::set<std::string> words;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ") || line.starts_with("| ---") || line.starts_with("| ONNX")) continue;
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= column; ++k) begin = line.find('|', begin) + 1;
    std::string cell = line.substr(begin, line.find('|', begin) - begin);
    for (char& c : cell) c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : ' ';
    std::istringstream parts(cell);
    for (std::string word; parts >> word;) words.insert(word);
  }
  return words;
}

std::set<std::string> with_capitals(const std::set<std::string>& words) {
  std::set<std::string> found;
  for (const std::string& word : words) {
    if (std::isupper(static_cast<unsigned char>(word[0])) != 0) found.insert(word);
  }
  return found;
}

TEST(OperatorTable, ListsTheNodesThatAreModelled) {
  std::set<std::string> modelled = {"Constant", "ConstantOfShape", "Shape", "Size", "Range"};
  for (const std::string& type : lowered_types()) modelled.insert(type);
  for (const std::string& type : moved_types()) modelled.insert(type);
  EXPECT_THAT(with_capitals(words_of_column(0)), UnorderedElementsAreArray(modelled));
}

TEST(OperatorTable, ListsTheOperatorsOfModelFiles) {
  std::set<std::string> names;
  for (const std::string& kind : operator_kinds()) names.insert(kind);
  for (const TorchOperator& one : torch_operators()) names.insert(one.name);
  EXPECT_THAT(words_of_column(1), UnorderedElementsAreArray(names));
}

}  // namespace
}  // namespace upsweep::operator_table_test
