#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "made_up_run.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using testing::MadeUpRun;
using testing::TemporaryFolder;

/// What reading a run says after `change` to its database; empty where nothing is wrong.
std::string said_after(const std::string& change) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  RunStore(file, RunStore::Open::create).save(made_up.context("net"), {made_up.record()}, std::nullopt);
  EXPECT_EQ(testing::query(file, change), "");
  try {
    const StoreReader reader(file);
    static_cast<void>(reader.run_list());
    static_cast<void>(reader.run_tables(1));
    static_cast<void>(reader.details(1));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DamagedRows, AreNamedByTableAndRow) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"UPDATE schedule_runs SET flops = 'many'", {"table schedule_runs, id 1 has 'many' as flops"}},
      {"UPDATE schedule_runs SET flops = 9e999", {"table schedule_runs, id 1", "as flops", "nonnegative number"}},
      {"UPDATE schedule_runs SET score = -9e999", {"table schedule_runs, id 1", "finite number"}},
      {"UPDATE schedule_runs SET workers = -3", {"'-3' as workers", "the database is damaged there"}},
      {"UPDATE ops SET nnz = -1 WHERE id = 1", {"table ops, id 1 has '-1' as nnz"}},
      {"UPDATE levels SET flops_sum = 'x'", {"table levels, row 1 WHERE", "'x' as flops_sum"}}};
  for (const auto& [change, parts] : cases) {
    const std::string said = said_after(change);
    for (const std::string& part : parts) EXPECT_THAT(said, HasSubstr(part)) << change;
    EXPECT_THAT(said, HasSubstr("r.sqlite: ")) << change;
  }
}

TEST(DamagedRows, AreNotSeenWhereNothingIsWrong) {
  EXPECT_EQ(said_after("SELECT 1 WHERE 0"), "");
  EXPECT_EQ(said_after("UPDATE schedule_runs SET score = NULL, flops = 0"), "");
}

}  // namespace
}  // namespace upsweep
