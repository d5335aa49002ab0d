#include "upgrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "schema.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

/// A table, view, index or trigger: what made it, and what takes it away.
struct Definition {
  std::string name;
  std::string sql;
  std::string drop;
};

/// Those of these types in the order in which they were made, without what SQLite makes by itself.
std::vector<Definition> definitions(Sqlite& database, const std::string& types) {
  Statement select(database, fmt::format(R"(
      SELECT name, sql, 'DROP ' || type || ' IF EXISTS "' || replace(name, '"', '""') || '"' FROM sqlite_master
      WHERE type IN ({}) AND sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY rowid)",
                                         types));
  std::vector<Definition> all;
  while (select.step()) all.push_back({select.text(0), select.text(1), select.text(2)});
  return all;
}

std::vector<Definition> take_away(Sqlite& database, const std::string& types) {
  std::vector<Definition> all = definitions(database, types);
  for (const Definition& each : all) database.execute(each.drop);
  return all;
}

/// A definition without what does not matter: comments, blanks, and the quotes that a name gets when it is changed.
std::string bare(const std::string& sql) {
  std::string text;
  bool is_comment = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    is_comment = sql[i] != '\n' && (is_comment || sql.compare(i, 2, "--") == 0);
    if (!is_comment && sql[i] > ' ' && sql[i] != '"') text += sql[i];
  }
  return text;
}

/// Makes a table that is there as an older version defined it. Those that refer to it do so by its name: with the old
/// way of renaming they stay as they are.
void make_anew(Sqlite& database, const Definition& table) {
  const std::string& name = table.name;
  database.execute(fmt::format("ALTER TABLE {0} RENAME TO {0}_old; {1}", name, table.sql));
  // Those columns of the new table of which this holds in the names of the old table's.
  const auto columns = [&](const std::string& which) {
    Statement select(database, fmt::format(R"(
        SELECT group_concat('"' || name || '"', ', ') FROM pragma_table_info('{0}')
        WHERE {1} (SELECT name FROM pragma_table_info('{0}_old')))",
                                           name, which));
    select.step();
    return select.text(0);
  };
  if (database.integer(fmt::format("SELECT EXISTS (SELECT 1 FROM {}_old)", name)) != 0) {
    const std::string missing = columns("\"notnull\" AND dflt_value IS NULL AND name NOT IN");
    if (!missing.empty()) {
      throw InputError(
          fmt::format("{}: its table {} has no {}, accepted is a database whose tables of such names are upsweep's",
                      database.file(), name, missing));
    }
    database.execute(fmt::format("INSERT INTO {0} ({1}) SELECT {1} FROM {0}_old", name, columns("name IN")));
  }
  // Ids that were used go along, too.
  database.execute(
      fmt::format("DELETE FROM sqlite_sequence WHERE name = '{0}'; "
                  "UPDATE sqlite_sequence SET name = '{0}' WHERE name = '{0}_old'; DROP TABLE {0}_old",
                  name));
}

/// Makes what a user had; nothing where SQLite does not accept it any more.
void make_of_user(Sqlite& database, const Definition& definition) {
  try {
    database.execute(definition.sql);
  } catch (const InputError&) {
    if (sqlite3_errcode(database.handle()) != SQLITE_ERROR) throw;
  }
}

}  // namespace

void upgrade(Sqlite& database, std::int64_t version) {
  // Before tables get other names: what names these would be changed with them, or would stop that.
  std::vector<Definition> gone = take_away(database, "'view', 'trigger'");
  if (version < 7) database.execute("ALTER TABLE runs ADD COLUMN rule TEXT");  // which the script asks for
  if (version < 10) database.execute(before_commands_sql());
  // In place: there are many rows. As the script defines it, so that the table is not made anew.
  if (version < 14) database.execute("ALTER TABLE ops ADD COLUMN span NUMERIC");
  for (const char* column : {"exact INTEGER", "flops_low REAL", "flops_high REAL", "nnz_low REAL", "nnz_high REAL"})
    if (version < 16) database.execute(fmt::format("ALTER TABLE ops ADD COLUMN {}", column));
  std::ranges::move(take_away(database, "'index'"), std::back_inserter(gone));

  Sqlite present = Sqlite::in_memory();
  present.execute(schema_sql());
  database.execute("PRAGMA legacy_alter_table = ON");
  const std::vector<Definition> before = definitions(database, "'table'");
  for (const Definition& table : definitions(present, "'table'")) {
    const auto old = std::ranges::find(before, table.name, &Definition::name);
    if (old == before.end()) {
      database.execute(table.sql);
    } else if (bare(old->sql) != bare(table.sql)) {
      make_anew(database, table);
    }
  }
  database.execute("PRAGMA legacy_alter_table = OFF");

  const std::vector<Definition> ours = definitions(present, "'index', 'view'");
  for (const Definition& each : ours) database.execute(each.sql);
  for (const Definition& each : gone) {
    if (std::ranges::find(ours, each.name, &Definition::name) == ours.end()) make_of_user(database, each);
  }
}

}  // namespace upsweep
