#include <gtest/gtest.h>

#include "../../src/store/migrations.hpp"
#include "made_up_measurement.hpp"
#include "made_up_run.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "upsweep/profile/counting_rule.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {
namespace {

using testing::MadeUpMeasurement;
using testing::MadeUpRun;
using testing::query;
using testing::TemporaryFolder;

TEST(RunStoreSchema, BringsAnOlderSchemaUpToDate) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  query(file, "PRAGMA application_id = " + std::to_string(kApplicationId) + "; " + migrations()[0] +
                  "PRAGMA user_version = 1;");
  EXPECT_NE(query(file, "SELECT * FROM run_summary").find("no such table"), std::string::npos);
  { const RunStore store(file, RunStore::Open::create); }
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM run_summary"), "0\n");
  EXPECT_EQ(query(file, "PRAGMA user_version"), std::to_string(migrations().size()) + "\n");
}

TEST(RunStoreSchema, BringsADatabaseOfVersionTwoUpToDateAndKeepsItsRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  EXPECT_EQ(query(file, "PRAGMA application_id = " + std::to_string(kApplicationId) + "; " + migrations()[0] +
                            migrations()[1] + "PRAGMA user_version = 2;"),
            "");
  const std::string insert =
      "INSERT INTO searches VALUES (1, 'time', 'dag', 'all', 2, NULL, 1, 0.25);"
      "INSERT INTO runs SELECT NULL, '2026-01-01T00:00:00Z', '0.0', 'search', '[]', 1, 6.0, 1, NULL, 'old model', "
      "'m.yaml', '00ff', 'sample', 2, 'hybrid:1', 'hybrid:1', 1, 4, 2, 2, 3, 16.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
      "12, 13, 14, 15, 16, 17;"
      "INSERT INTO levels VALUES (1, 0, 'up', 3, 16.5, 6);"
      "INSERT INTO ops VALUES (1, 0, 0, 0, 1, 1, 'mm', 1, 2, 2, 2, 1, 1, 1, 1, 2, 8);";
  EXPECT_EQ(query(file, insert), "");
  const MadeUpRun made_up;
  {
    RunStore store(file, RunStore::Open::existing);
    EXPECT_EQ(store.list().rows.size(), 1U);
    EXPECT_TRUE(store.show(1).has_value());
    EXPECT_EQ(store.levels(1).rows.size(), 1U);
    EXPECT_TRUE(store.measurements(1).rows.empty());
    const MadeUpMeasurement measured(made_up);
    EXPECT_EQ(store.save(made_up.context(), {measured.record(made_up)}, std::nullopt), (std::vector<std::int64_t>{2}));
  }
  EXPECT_EQ(query(file, "PRAGMA user_version"), std::to_string(migrations().size()) + "\n");
  EXPECT_EQ(query(file, "SELECT id, model, flops, best, machine, predicted_level_s, measured_s FROM run_summary"),
            "1|old model|16.5|1|||\n2|m|16.5|0|||4.0\n");
  EXPECT_EQ(query(file, "SELECT dead_ops FROM level_profile WHERE run_id = 1"), "1\n");
  EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
}

TEST(RunStoreSchema, BringsADatabaseOfVersionSixUpToDateAndKeepsItsRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  const MadeUpRun made_up;
  std::string script = "BEGIN; PRAGMA application_id = " + std::to_string(kApplicationId) + "; ";
  for (std::size_t i = 0; i < 6; ++i) script += migrations()[i];
  script +=
      "INSERT INTO runs SELECT NULL, '2026-01-01T00:00:00Z', '0.0', 'profile', '[]', NULL, NULL, NULL, NULL, 'old', "
      "'m.yaml', '00ff', 'sample', 2, 'hybrid:1', 'hybrid:1', 1, 4, 2, 2, 3, 16.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
      "12, 13, 14, 15, 16, 17, NULL, NULL, NULL, NULL, NULL, NULL;"
      "PRAGMA user_version = 6; COMMIT;";
  ASSERT_EQ(query(file, script), "");
  RunStore(file, RunStore::Open::existing).save(made_up.context(), {made_up.record()}, std::nullopt);
  EXPECT_EQ(query(file, "PRAGMA user_version; SELECT id, model, flops, rule IS NULL FROM runs"),
            std::to_string(migrations().size()) + "\n1|old|16.5|1\n2|m|16.5|0\n");
  EXPECT_EQ(query(file, "SELECT rule FROM runs WHERE id = 2"), std::string(kCountingRule) + "\n");
}

}  // namespace
}  // namespace upsweep
