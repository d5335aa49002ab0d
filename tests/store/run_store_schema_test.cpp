#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "../../src/store/command_rows.hpp"
#include "../../src/store/database.hpp"
#include "../../src/store/schema.hpp"
#include "made_up_measurement.hpp"
#include "made_up_run.hpp"
#include "older_databases.hpp"
#include "schema_text.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::schema_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using testing::MadeUpMeasurement;
using testing::MadeUpRun;
using testing::make_database_10_of_9;
using testing::make_older_database;
using testing::query;
using testing::schema_text;
using testing::TemporaryFolder;

constexpr std::size_t kOldest = 1;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// A database of this program.
std::string new_database(const TemporaryFolder& folder) {
  const std::string file = folder.path("new.sqlite");
  static_cast<void>(RunStore(file, RunStore::Open::create));
  return file;
}

/// Runs `check` with the file of each older version; of version 10 with one that was of version 9 before, too.
void each_older(const std::function<void(std::size_t version, const std::string& file)>& check) {
  const TemporaryFolder folder;
  for (std::size_t version = kOldest; version < kSchemaVersion; ++version) {
    SCOPED_TRACE("version " + std::to_string(version));
    const std::string file = folder.path(std::to_string(version) + ".sqlite");
    make_older_database(file, version);
    check(version, file);
  }
  SCOPED_TRACE("version 10 that was version 9");
  const std::string file = folder.path("10-of-9.sqlite");
  make_database_10_of_9(file);
  check(10, file);
}

TEST(Schema, IsWhatUpgradesMakeOfEveryOlderVersion) {
  const TemporaryFolder folder;
  const std::vector<std::string> present = lines(schema_text(new_database(folder)));
  ASSERT_GT(present.size(), 200U);
  each_older([&](std::size_t, const std::string& file) {
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_EQ(lines(schema_text(file)), present);
    EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA user_version"),
              "ok\n" + std::to_string(kSchemaVersion) + "\n");
  });
}

TEST(Schema, ThatComparisonCanFail) {
  const TemporaryFolder folder;
  const std::string file = new_database(folder);
  const std::string present = schema_text(file);
  EXPECT_EQ(schema_text(file), present);
  for (const char* change :
       {"ALTER TABLE commands ADD COLUMN host TEXT", "DROP INDEX runs_by_command",
        "CREATE UNIQUE INDEX once ON commands(created_utc)", "DROP VIEW studies", "CREATE TABLE one_more (x)",
        "DROP TABLE losses; CREATE TABLE losses (run_id INTEGER NOT NULL, pass INTEGER NOT NULL, iteration INTEGER NOT "
        "NULL, loss REAL NOT NULL, accuracy REAL NOT NULL, PRIMARY KEY (run_id, pass, iteration)) WITHOUT ROWID"}) {
    const std::string copy = folder.path("changed.sqlite");
    std::filesystem::remove(copy);
    ASSERT_EQ(query(file, "VACUUM INTO '" + copy + "'"), "");
    EXPECT_EQ(schema_text(copy), present);
    ASSERT_EQ(query(copy, change), "");
    EXPECT_NE(schema_text(copy), present) << change;
  }
}

TEST(Schema, HasEveryColumnThatAnOlderVersionHad) {
  const auto columns = [](const std::string& file) {
    return lines(query(file,
                       "SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type IN "
                       "('table', 'view') AND m.name NOT LIKE 'sqlite_%'"));
  };
  each_older([&](std::size_t, const std::string& file) {
    const std::vector<std::string> before = columns(file);
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_THAT(before, IsSubsetOf(columns(file)));
  });
}

TEST(Schema, KeepsTheRowsOfEveryOlderVersion) {
  each_older([](std::size_t, const std::string& file) {
    // All rows of all tables, as one text for each table.
    std::vector<std::pair<std::string, std::string>> queries;
    for (const std::string& name : lines(query(file, "SELECT name FROM sqlite_master WHERE type = 'table'"))) {
      if (name.starts_with("sqlite_")) continue;
      const std::string columns = query(file, "SELECT group_concat(name, ', ') FROM pragma_table_info('" + name + "')");
      const std::string rows = "SELECT " + columns + " FROM " + name + " ORDER BY 1, 2";
      queries.emplace_back(rows, query(file, rows));
      EXPECT_NE(queries.back().second, "") << name;
    }
    { const RunStore store(file, RunStore::Open::existing); }
    for (const auto& [rows, before] : queries) EXPECT_EQ(query(file, rows), before);
  });
}

TEST(Schema, AnswersFromTheRowsOfEveryOlderVersion) {
  each_older([](std::size_t version, const std::string& file) {
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_EQ(query(file, "SELECT id, model, flops, best, best_of_all, measured_s FROM run_summary WHERE id < 3"),
              version >= 6   ? "1|old|16.5|1|1|\n2|old|16.5|0|0|4.0\n"
              : version >= 3 ? "1|old|16.5|1|0|\n2|old|16.5|0|0|4.0\n"
                             : "1|old|16.5|1|0|\n2|old|16.5|0|0|\n");
    EXPECT_EQ(query(file, "SELECT run_id, dead_ops FROM level_profile; SELECT run_id, density FROM op_profile"),
              "1|1\n1|0.25\n");
    EXPECT_EQ(query(file, "SELECT run, level, measured_s, command_id FROM prediction_vs_measurement"),
              version >= 3 ? "2||4.0|2\n2|0|4.0|2\n" : "");
    EXPECT_EQ(query(file, "SELECT run, variant, makespan FROM training_summary"), version >= 4 ? "6|gpipe|9\n" : "");
    EXPECT_EQ(query(file, "SELECT run, method, command FROM pass_summary"), version >= 5 ? "7|bptt|train\n" : "");
    EXPECT_EQ(query(file, "SELECT study, name, score FROM study_best"), version >= 7 ? "1|grid|3.0\n" : "");
  });
}

TEST(Schema, GivesEveryOlderRunTheCommandThatWroteIt) {
  each_older([](std::size_t version, const std::string& file) {
    { const RunStore store(file, RunStore::Open::existing); }
    const std::string rule = version >= 7 ? "a rule" : "";
    std::string commands = "1|search|[1]|" + rule + "\n2|validate|[2]|" + rule + "\n4|validate|[2]|" + rule +
                           "\n5|profile|[2]|" + rule + "\n";
    std::string runs = "1|1\n2|2\n3|2\n4|4\n5|5\n";
    if (version >= 4) {
      commands += "6|training|[6]|\n";
      runs += "6|6\n";
    }
    if (version >= 5) {
      commands += "7|train|[7]|\n";
      runs += "7|7\n";
    }
    if (version >= 7) commands += "8|study|[8]|a rule\n9|study|[9]|another\n";
    if (version >= 16) runs += "50|1\n";
    EXPECT_EQ(query(file, "SELECT id, command, parameters, rule FROM commands ORDER BY id"), commands);
    EXPECT_EQ(query(file, "SELECT id, command_id FROM run_summary ORDER BY id"), runs);
    EXPECT_EQ(query(file, "SELECT id, command_id FROM searches"), "1|1\n");
    if (version >= 7) {
      EXPECT_EQ(query(file, "SELECT id, command_id FROM studies ORDER BY id"), "1|8\n2|9\n");
    }
    // And goes on from there.
    const MadeUpRun made_up;
    const MadeUpMeasurement measured(made_up);
    RunStore store(file, RunStore::Open::existing);
    const std::int64_t next = version >= 5 ? 8 : version == 4 ? 7 : 6;
    EXPECT_EQ(store.save(made_up.context(), {measured.record(made_up)}, std::nullopt).at(0), next);
    EXPECT_EQ(store.save(PassRecord{}), next + 1);
    EXPECT_EQ(query(file, "SELECT rule FROM runs ORDER BY id DESC LIMIT 1"), std::string(kCountingRule) + "\n");
    EXPECT_TRUE(store.remove(2));
    EXPECT_EQ(query(file, "SELECT COUNT(*) FROM commands WHERE id = 2"), "1\n") << "run 3 has it";
    EXPECT_TRUE(store.remove(3));
    EXPECT_TRUE(store.remove(1));
    EXPECT_EQ(query(file, "SELECT COUNT(*) FROM commands WHERE id IN (1, 2); SELECT COUNT(*) FROM searches"), "0\n0\n");
    EXPECT_EQ(query(file, "PRAGMA foreign_key_check; PRAGMA integrity_check"), "ok\n");
  });
}

TEST(Schema, GivesCommandsOfVersion10VerdictsToBeKept) {
  const TemporaryFolder folder;
  const std::string file = folder.path("10.sqlite");
  make_older_database(file, 10);
  const std::string all = "SELECT id, created_utc, tool_version, command, parameters, rule FROM commands";
  const std::string before = query(file, all);
  EXPECT_EQ(lines(before).size(), 8U);
  { const RunStore store(file, RunStore::Open::existing); }
  EXPECT_EQ(query(file, all), before);
  EXPECT_EQ(query(file, "SELECT COUNT(*), COUNT(verdict), COUNT(verdict_ratio) FROM commands"), "8|0|0\n");
  Sqlite database = open_database(file, false);
  CommandRow row = command_now("0.2", "search", "[]");
  EXPECT_EQ(save_command(database, row), 10);
  row.verdict.text = "Plain back-propagation is best.";
  row.verdict.ratio = 1.5;
  EXPECT_EQ(save_command(database, row), 11);
  EXPECT_EQ(query(file, "SELECT id, verdict, verdict_ratio FROM commands WHERE id > 9"),
            "10||\n11|Plain back-propagation is best.|1.5\n");
}

TEST(Schema, KeepsTheViewsOfUsers) {
  each_older([](std::size_t, const std::string& file) {
    ASSERT_EQ(query(file, "CREATE VIEW \"my runs\" AS SELECT id, tool_version, model FROM runs WHERE id = 2"), "");
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_EQ(query(file, "SELECT * FROM \"my runs\""), "2|0.0|old\n");
  });
}

TEST(Schema, KeepsWhatElseUsersMade) {
  each_older([](std::size_t version, const std::string& file) {
    ASSERT_EQ(
        query(file,
              std::string("CREATE TABLE notes (run INTEGER REFERENCES ") + (version < 10 ? "runs" : "schedule_runs") +
                  "(id), \"its \"\"text\"\"\" TEXT); INSERT INTO notes VALUES (2, 'mine');"
                  "CREATE INDEX notes_by_run ON notes(run); CREATE INDEX ops_by_kind ON ops(kind);"
                  "CREATE VIEW noted AS SELECT model, \"its \"\"text\"\"\" AS note FROM runs JOIN notes ON run = id;"
                  "CREATE VIEW \"of \"\"nothing\"\"\" AS SELECT * FROM nowhere;"
                  "CREATE TRIGGER \"on \"\"ops\"\"\" AFTER DELETE ON ops BEGIN INSERT INTO notes VALUES (NULL, "
                  "old.kind); END;"
                  "CREATE TRIGGER on_noted INSTEAD OF DELETE ON noted BEGIN DELETE FROM notes; END;"),
        "");
    const std::string users =
        "SELECT type, name, tbl_name FROM sqlite_master WHERE name IN ('notes', 'notes_by_run', "
        "'ops_by_kind', 'noted', 'of \"nothing\"', 'on \"ops\"', 'on_noted') ORDER BY name";
    const std::string before = query(file, users);
    EXPECT_EQ(lines(before).size(), 7U);
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_EQ(query(file, users), before);
    EXPECT_EQ(query(file, "SELECT * FROM noted; SELECT \"table\" FROM pragma_foreign_key_list('notes')"),
              "old|mine\nschedule_runs\n");
    EXPECT_EQ(query(file, "DELETE FROM ops; SELECT * FROM notes; DELETE FROM noted; SELECT * FROM notes"),
              "2|mine\n|mm\n");
    EXPECT_EQ(query(file, "PRAGMA foreign_key_check; PRAGMA integrity_check"), "ok\n");
  });
}

TEST(Schema, LeavesOutTriggersThatNoTableHasAnyMore) {
  const TemporaryFolder folder;
  const std::string file = folder.path("9.sqlite");
  make_older_database(file, 9);
  ASSERT_EQ(query(file, "CREATE TRIGGER on_runs AFTER DELETE ON runs BEGIN SELECT 1; END"), "");
  { const RunStore store(file, RunStore::Open::existing); }
  EXPECT_EQ(query(file, "SELECT name FROM sqlite_master WHERE type = 'trigger'; SELECT COUNT(*) FROM runs"), "5\n");
}

TEST(Schema, DoesNotCopyTablesThatStayAsTheyWere) {
  each_older([](std::size_t version, const std::string& file) {
    const std::string roots =
        "SELECT name, rootpage FROM sqlite_master WHERE name IN ('ops', 'levels', 'operators', "
        "'measured_ops', 'training_tasks', 'losses', 'study_members') ORDER BY 1";
    const std::vector<std::string> before = lines(query(file, roots));
    EXPECT_GE(before.size(), version < 7 ? 3U : 7U);
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_THAT(before, IsSubsetOf(lines(query(file, roots))));
  });
}

TEST(Schema, LeavesADatabaseAsItWasWhereItCannotBeUpgraded) {
  each_older([](std::size_t version, const std::string& file) {
    // A user's table has a name that an upgrade needs.
    const std::string name = version < 5                     ? "losses"
                             : version < 10                  ? "commands"
                             : version < 11 || version >= 16 ? "commands_old"
                                                             : "schedule_runs_old";
    ASSERT_EQ(query(file, "CREATE TABLE " + name + " (x); INSERT INTO " + name + " VALUES ('mine')"), "");
    const std::string wanted =
        version < 5
            ? file +
                  ": its table losses has no \"run_id\", \"pass\", \"iteration\", \"loss\", \"accuracy\", accepted is"
        : version < 10 ? "table commands already exists"
                       : "another table or index with this name: " + name;
    const std::string before = testing::read_file(file);
    std::string refusal;
    try {
      const RunStore store(file, RunStore::Open::existing);
    } catch (const InputError& error) {
      refusal = error.what();
    }
    EXPECT_THAT(refusal, HasSubstr(wanted));
    EXPECT_TRUE(testing::read_file(file) == before);
    ASSERT_EQ(query(file, "ALTER TABLE " + name + " RENAME TO mine"), "");
    { const RunStore store(file, RunStore::Open::existing); }
    EXPECT_EQ(query(file, "SELECT x, (SELECT COUNT(*) FROM runs) FROM mine"), "mine|5\n");
  });
}

TEST(Schema, HasAVersionOfItsOwn) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : std::regex_replace(schema_sql(), std::regex("--[^\n]*|\\s+"), ""))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  EXPECT_EQ(fmt::format("{} {:016x}", kSchemaVersion, hash), "18 d6ddbba45981e535")
      << "schema.sql is another: where databases of this version are in use raise kSchemaVersion, and keep the text of "
         "that version in tests/store/schemas; then change this line";
}

TEST(Schema, ReadsTheStudiesOfOlderVersions) {
  each_older([](std::size_t version, const std::string& file) {
    if (version < 7) return;
    EXPECT_EQ(query(file, "SELECT COUNT(*) FROM study_points"), "1\n");
    StudyStore store(file);
    StudyRecord record;
    record.content_hash = "00";
    record.rule = "another";
    record.tool_version = "0.1";
    EXPECT_EQ(store.open_study(record), 2) << "the same content, rule and version";
    record.rule = "a third";
    EXPECT_EQ(store.open_study(record), 3);
    EXPECT_EQ(store.reader().study(1)->created_utc, "2026-01-04T00:00:00Z");
    EXPECT_TRUE(remove_study(file, 1));
    EXPECT_EQ(query(file, "SELECT id FROM commands WHERE command = 'study'; PRAGMA foreign_key_check"), "9\n10\n");
  });
}

}  // namespace
}  // namespace upsweep::schema_test
