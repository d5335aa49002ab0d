#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "scratch_file.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/upsweep.h"

namespace {

const ScratchFile kScratch(".sqlite");
const std::string& kFile = kScratch.path;

void keep(const char* command, const std::string& text) {
  upsweep_input* input = upsweep_input_bytes("file.yaml", text.data(), text.size());
  upsweep_result* result = upsweep_run(command, &input, 1, (R"({"db": ")" + kFile + "\"}").c_str(), nullptr);
  if (upsweep_result_code(result) != UPSWEEP_DONE) {
    std::cerr << upsweep_result_message(result) << '\n';
    std::abort();
  }
  upsweep_result_close(result);
  upsweep_input_close(input);
}

void remove_file() {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(kFile + suffix);
}

/// The bytes of a database with a row of every kind of command that runs in moments.
std::string made_database() {
  remove_file();
  const std::string mlp =
      "name: m\ninput: [6]\noperators:\n  - linear: {name: a, out_features: 4}\n  - relu: {name: b}\n"
      "  - linear: {name: c, out_features: 2}\n";
  keep("profile", mlp);
  keep("search", mlp);
  keep("study",
       "name: s\nbase:\n  model: {name: c, chain: {length: 8, size: 4, kind: dense}}\naxes:\n"
       "  - {path: model.chain.size, values: [2, 3]}\n  - {path: schedule, values: [linear, best]}\nquestions: "
       "[best]\n");
  keep("training",
       "name: t\nkind: pipeline\nlayers: 4\nF: 1\nO: 1\nW: 1\ndevices: 2\nmicro_batches: 2\nalloc: contiguous\npolicy: "
       "gpipe\n");
  std::ifstream in(kFile, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Takes what an edit needs from the input, zeros past its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return at_ >= size_; }
  std::size_t number(std::size_t below) {
    std::size_t value = 0;
    for (int i = 0; i < 3; ++i) value = value << 8 | (at_ < size_ ? data_[at_] : 0U), ++at_;
    return below == 0 ? 0 : value % below;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

std::vector<std::string> texts_of(sqlite3* database, const std::string& query) {
  std::vector<std::string> texts;
  sqlite3_exec(
      database, query.c_str(),
      [](void* out, int, char** values, char**) {
        static_cast<std::vector<std::string>*>(out)->emplace_back(values[0] == nullptr ? "" : values[0]);
        return 0;
      },
      &texts, nullptr);
  return texts;
}

/// Puts what no command writes into values of the tables.
void edit_rows(Bytes& bytes) {
  constexpr std::array kValues = {"NULL",
                                  "-1",
                                  "9e999",
                                  "-9e999",
                                  "''",
                                  "'x'",
                                  "x'00ff'",
                                  "9223372036854775807",
                                  "0.5",
                                  "'[]'",
                                  "'{}'",
                                  "'\x1b[2J'",
                                  "1",
                                  "0",
                                  "'2026-13-99T99:99:99Z'"};
  sqlite3* database = nullptr;
  if (sqlite3_open(kFile.c_str(), &database) == SQLITE_OK) {
    sqlite3_exec(database, "PRAGMA ignore_check_constraints = 1", nullptr, nullptr, nullptr);
    const std::vector<std::string> tables =
        texts_of(database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    while (!bytes.empty()) {
      const std::string table = tables[bytes.number(tables.size())];
      const std::vector<std::string> columns =
          texts_of(database, "SELECT name FROM pragma_table_info('" + table + "')");
      const std::string column = columns[bytes.number(columns.size())];
      const std::string value = kValues[bytes.number(kValues.size())];
      sqlite3_exec(database, ("UPDATE " + table + " SET " + column + " = " + value).c_str(), nullptr, nullptr, nullptr);
    }
  }
  sqlite3_close(database);
}

void read_all(const upsweep::StoreReader& reader) {
  using upsweep::InputError;
  const auto read = [](const auto& reading) {
    try {
      reading();
    } catch (const InputError&) {  // this row is damaged; others may be sound
    }
  };
  read([&] { (void)reader.run_list(); });
  read([&] { (void)reader.study_list(); });
  read([&] {
    for (const upsweep::StoredRun& run : reader.runs()) {
      read([&] { (void)reader.details(run.id); });
      read([&] { (void)reader.plain_of(run); });
      read([&] { (void)reader.verdict_of(run.command_id); });
      read([&] { (void)reader.explanation_of(run.id); });
      read([&] { (void)reader.run_tables(run.id); });
      read([&] { (void)reader.compared_run(run.id); });
    }
  });
  read([&] {
    for (const std::int64_t id : reader.training_ids()) (void)reader.training(id);
  });
  read([&] {
    for (const std::int64_t id : reader.study_ids()) {
      (void)reader.study(id);
      reader.each_point(id, [](const auto&) {});
      (void)reader.study_points(id);
    }
  });
  read([&] {
    for (const upsweep::ContentKey& key : reader.result_keys()) (void)reader.result(key);
  });
}

}  // namespace

/// A database of ours with edits, of bytes of the file or, after an odd first byte, of rows: what it holds, or an
/// InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string made = made_database();
  if (size == 0) return 0;
  remove_file();
  std::string file = made;
  Bytes bytes(data + 1, size - 1);
  const bool has_row_edits = data[0] % 2 != 0;
  while (!has_row_edits && !bytes.empty()) {
    const std::size_t at = bytes.number(file.size());
    file[at] = static_cast<char>(bytes.number(256));
  }
  std::ofstream(kFile, std::ios::binary) << file;
  if (has_row_edits) edit_rows(bytes);
  try {
    read_all(upsweep::StoreReader(kFile));
  } catch (const upsweep::InputError&) {  // it is no database any more
  }
  return 0;
}
