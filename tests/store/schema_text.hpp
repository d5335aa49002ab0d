#pragma once

#include <string>

#include "sql_query.hpp"

namespace upsweep::testing {

/// A schema as lines that are equal where two schemas mean the same: tables column by column, their keys and indexes,
/// and views as their text without comments, quotes and line ends.
inline std::string schema_text(const std::string& file) {
  const std::string tables = "sqlite_master m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'";
  const auto rows_of = [&](const std::string& columns, const std::string& pragma) {
    return query(file, "SELECT m.name, " + columns + " FROM sqlite_master m, " + pragma +
                           " p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2, 3, 4");
  };
  std::string text = query(
      file, "SELECT m.name, m.sql LIKE '%AUTOINCREMENT%', m.sql LIKE '%WITHOUT ROWID%' FROM " + tables + " ORDER BY 1");
  text += rows_of("p.cid, p.name, p.type, p.[notnull], p.dflt_value, p.pk", "pragma_table_xinfo(m.name)");
  text += rows_of("p.[from], p.[table], p.[to], p.on_update, p.on_delete", "pragma_foreign_key_list(m.name)");
  // By what they are on: SQLite numbers those of keys.
  text += query(file,
                "SELECT m.name, IIF(i.origin = 'c', i.name, i.origin), i.[unique], i.partial, (SELECT "
                "group_concat(c.name) FROM pragma_index_info(i.name) c) FROM sqlite_master m, "
                "pragma_index_list(m.name) i WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2, 5");
  const std::string views = query(file, "SELECT sql || ';' FROM sqlite_master WHERE type = 'view' ORDER BY name");
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views.compare(i, 2, "--") == 0) i = views.find('\n', i);
    const char c = views[i] == '\n' ? ' ' : views[i];
    if (c != '"' && (c != ' ' || text.back() != ' ')) text += c;
  }
  return text;
}

}  // namespace upsweep::testing
