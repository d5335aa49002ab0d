#pragma once

#include <array>
#include <string>

#include "../../src/store/schema.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"

namespace upsweep::testing {

/// Rows that a database of a version has beside those of the version before: in every table that it has new. Run 1 is
/// of a search, 2 and 3 of one validation, 4 of the same a second later, 5 of a profile; 6 is a training step, 7 are
/// passes.
inline std::string rows_of_version(std::size_t version) {
  // The 34 columns of runs behind the search's.
  const std::string run =
      ", 'old', 'm.yaml', '00ff', 'sample', 2, 'hybrid:1', 'hybrid:1', 1, 4, 2, 2, 3, 16.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, "
      "10, 11, 12, 13, 14, 15, 16, 17), ";
  switch (version) {
    case 1:
      return "INSERT INTO searches VALUES (1, 'time', 'dag', 'all', 2, NULL, 1, 0.25);"
             "INSERT INTO runs VALUES "
             "(1, '2026-01-01T00:00:00Z', '0.0', 'search', '[1]', 1, 6.0, 1, NULL" +
             run + "(2, '2026-01-01T00:00:01Z', '0.0', 'validate', '[2]', NULL, NULL, NULL, NULL" + run +
             "(3, '2026-01-01T00:00:01Z', '0.0', 'validate', '[2]', NULL, NULL, NULL, NULL" + run +
             "(4, '2026-01-01T00:00:02Z', '0.0', 'validate', '[2]', NULL, NULL, NULL, NULL" + run +
             "(5, '2026-01-01T00:00:02Z', '0.0', 'profile', '[2]', NULL, NULL, NULL, NULL" +
             run.substr(0, run.size() - 2) +
             ";"
             "INSERT INTO operators VALUES (1, 1, 'a', 'relu', '2', '2', 2, 2, 3, 40, 7);"
             "INSERT INTO levels VALUES (1, 0, 'up', 3, 16.5, 6);"
             "INSERT INTO ops VALUES (1, 0, 0, 0, 1, 1, 'mm', 1, 2, 2, 2, 1, 1, 1, 1, 2, 8);";
    case 3:
      return "INSERT INTO machines VALUES (1, 'm', 'cpu', 'datasheet', NULL, NULL, NULL, NULL, 4, NULL, NULL, NULL, "
             "NULL, 'text');"
             "UPDATE runs SET machine_id = 1 WHERE id = 2;"
             "INSERT INTO measurements VALUES (1, 2, 'cpu', 'd', 'd', 2, 'level', 4, 0, 3, NULL, 4, 2, 1, 0, 0, 0, 0, "
             "0.5, NULL, '');"
             "INSERT INTO measured_levels VALUES (1, 0, NULL, 4);"
             "INSERT INTO measured_ops VALUES (1, 0, NULL, 4, 1, 1);";
    case 4:
      return "UPDATE sqlite_sequence SET seq = 6 WHERE name = 'runs';"
             "INSERT INTO training_runs VALUES (6, '2026-01-02T00:00:00Z', '0.1', '[6]', 'step', 'pipeline', "
             "'f.yaml', '00', 's', NULL, NULL, NULL, NULL, 2, 'gpipe', 9);"
             "INSERT INTO training_variants VALUES (6, 0, 'gpipe', 1);"
             "INSERT INTO training_figures VALUES (6, 0, 'makespan', NULL, 9);"
             "INSERT INTO training_tasks VALUES (6, 0, 0, 'device 0', 'F', 0, 1, 0, 0, 1);";
    case 5:
      return "UPDATE sqlite_sequence SET seq = 7 WHERE name = 'runs';"
             "INSERT INTO pass_runs VALUES (7, '2026-01-03T00:00:00Z', '0.1', 'train', '[7]', 'rnn', 'rnn.yaml', '00', "
             "'gru', 20, 100, 16, 1, 'fp32', NULL, NULL, NULL, 2, NULL, NULL);"
             "INSERT INTO passes (run_id, pass, method, best, measured_s) VALUES (7, 0, 'bptt', 1, 0.5);"
             "INSERT INTO losses VALUES (7, 0, 0, 2.5, 0);";
    case 6:
      return "UPDATE searches SET best_schedule = 'hybrid:1';";
    case 7:
      return "UPDATE runs SET rule = 'a rule';"
             "INSERT INTO studies VALUES (1, '2026-01-04T00:00:00Z', NULL, '0.1', '[8]', 'a rule', 'grid', 's.yaml', "
             "'00', 'text', 1, 0), (2, '2026-01-05T00:00:00Z', NULL, '0.1', '[9]', 'another', 'grid', 's.yaml', '00', "
             "'text', 1, 0);"
             "INSERT INTO study_axes VALUES (1, 0, 'workers', '[1]');"
             "INSERT INTO point_results (key, status, unit, exact, workers, elements, model_hash, settings, "
             "plain_is_best, scan_is_best, best_score) VALUES (x'01', 'done', 's', 1, 1, 2, '00ff', '', 1, 0, 3);"
             "INSERT INTO study_members VALUES (1, 0, x'01', 'done', NULL, '{\"workers\":1}');"
             "INSERT INTO study_answers VALUES (1, 0, 'best', NULL, 'linear', '{}');"
             "INSERT INTO counted_models VALUES (x'02', 1, 1, x'00');";
    case 8:
      return "INSERT INTO pattern_pictures VALUES ('00ff', 'sample', 1, 1, 'a', 2, 2, 3, 1, 1, x'ff');";
    default:
      return "";
  }
}

/// A file of schemas/: 001 to 010_commands led from a version to the next, 010 to 017 are whole schemas.
inline std::string schema_script(const std::string& name) {
  return read_file(UPSWEEP_SOURCE_DIR "/tests/store/schemas/" + name + ".sql");
}

/// Makes a database as version 9 and those before made it, with rows in all its tables.
inline void make_database_by_scripts(const std::string& file, std::size_t version) {
  const std::array scripts = {"001_runs",    "002_views",   "003_measurements", "004_training",   "005_passes",
                              "006_schemes", "007_studies", "008_pictures",     "009_comparisons"};
  std::string script = "BEGIN; PRAGMA application_id = " + std::to_string(kApplicationId) + "; ";
  for (std::size_t next = 1; next <= version; ++next)
    script += schema_script(scripts.at(next - 1)) + rows_of_version(next);
  script += "PRAGMA user_version = " + std::to_string(version) + "; COMMIT;";
  ASSERT_EQ(query(file, script), "") << "version " << version;
}

/// Makes a database of version 10 out of one of version 9, as version 10 did.
inline void make_database_10_of_9(const std::string& file) {
  make_database_by_scripts(file, 9);
  const std::string whole = file + "-whole";
  ASSERT_EQ(query(whole, schema_script("010")), "");
  const std::string drops = query(file, "SELECT 'DROP VIEW ' || name || ';' FROM sqlite_master WHERE type = 'view'");
  const std::string views = query(whole, "SELECT sql || ';' FROM sqlite_master WHERE type = 'view' ORDER BY rowid");
  ASSERT_EQ(
      query(file, "BEGIN; " + drops + schema_script("010_commands") + views + "PRAGMA user_version = 10; COMMIT;"), "");
}

/// Makes a database of an older version, with rows in all its tables; from version 10 on it was never of one before.
inline void make_older_database(const std::string& file, std::size_t version) {
  if (version < 10) return make_database_by_scripts(file, version);
  const std::string number = std::to_string(version);
  const std::string rows = file + "-rows";
  make_database_10_of_9(rows);
  const std::string inserts =
      query(rows,
            "WITH tables AS (SELECT name, (SELECT group_concat(c.name, ', ') FROM "
            "pragma_table_info(m.name) c) AS columns FROM sqlite_master m WHERE type = 'table' "
            "AND name <> 'sqlite_sequence') SELECT 'INSERT INTO main.' || name || '(' || columns "
            "|| ') SELECT ' || columns || ' FROM rows.' || name || ';' FROM tables");
  ASSERT_EQ(query(file, "PRAGMA application_id = " + std::to_string(kApplicationId) + "; PRAGMA user_version = " +
                            number + ";" + schema_script("0" + number) + "ATTACH '" + rows + "' AS rows;" + inserts +
                            "DELETE FROM main.sqlite_sequence;"
                            "INSERT INTO main.sqlite_sequence SELECT * FROM rows.sqlite_sequence;"),
            "");
  if (version < 16) return;
  ASSERT_EQ(
      query(file,
            "INSERT INTO anchor_sets SELECT 50, MIN(id), 'a.csv', '00' FROM commands;"
            "INSERT INTO anchor_families (run_id, number, family, device, library, line_count, skipped, fitted, "
            "left_out, failures_predicted, failures_missed, false_alarms, fitted_on, error_points, "
            "in_sample_points, bound_points) VALUES (50, 0, 'scan', 'd', 'l', 1, 0, 1, 0, 0, 0, 0, 'it', 1, 1, 1);"
            "INSERT INTO anchor_points (run_id, seq, family, file, line, status, fitted, left_out) VALUES "
            "(50, 0, 0, 'a.csv', 2, 'ok', 1, 0)"),
      "");
}

}  // namespace upsweep::testing
