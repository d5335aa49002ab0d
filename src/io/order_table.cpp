#include "upsweep/io/order_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "csv_table.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostLinks = 200;

/// Throws CountOverflow unless all that machines may ever do of a chain, one after the other, is below 2^64.
void check_work(const LinkChain& chain) {
  const std::uint64_t size = std::ranges::max(chain.sizes);
  const std::uint64_t edges = std::ranges::max(chain.edges);
  const std::uint64_t most = checked_mul(size, std::max(edges, checked_mul(size, size)));
  static_cast<void>(checked_mul(most, 4 * chain.length()));
}

/// Numbers for 1 to q machines; none where the table has no such column.
std::vector<std::uint64_t> published_of(const CsvRow& cells, const std::string& column, std::size_t length) {
  std::vector<std::uint64_t> numbers = cells.counts(column);
  if (!numbers.empty() && numbers.size() != length)
    throw cells.wrong(column, cells.text(column), fmt::format("a number for each of 1 to {} machines", length));
  return numbers;
}

OrderInstance instance_of(const CsvTable& table, std::size_t row) {
  const CsvRow cells(table, row);
  OrderInstance instance;
  LinkChain& chain = instance.chain;
  chain.edges = cells.counts("edges");
  const std::size_t length = chain.length();
  if (length == 0 || length > kMostLinks || std::ranges::count(chain.edges, 0U) > 0)
    throw cells.wrong("edges", cells.text("edges"), fmt::format("1 to {} numbers of at least 1", kMostLinks));
  chain.sizes = cells.counts("sizes");
  if (chain.sizes.size() != length + 1 || std::ranges::count(chain.sizes, 0U) > 0)
    throw cells.wrong("sizes", cells.text("sizes"),
                      fmt::format("{} numbers of at least 1, one more than edges", length + 1));
  if (cells.count("length").value_or(length) != length)
    throw cells.wrong("length", cells.text("length"), fmt::format("{}, as many as there are edges", length));
  instance.id = cells.count("id").value_or(row);
  instance.published = published_of(cells, "best", length);
  instance.published_proven = published_of(cells, "proven", length);
  try {
    check_work(chain);
  } catch (const CountOverflow& error) {
    throw cells.wrong("sizes", cells.text("sizes"), fmt::format("smaller ones: {}", error.what()));
  }
  return instance;
}

}  // namespace

std::vector<OrderInstance> load_order_table(const std::string& path) {
  const CsvTable table = read_csv_table(path, "a table of chains, CSV or CSV packed by gzip", {"sizes", "edges"});
  std::vector<OrderInstance> instances;
  for (std::size_t row = 0; row < table.rows.size(); ++row) instances.push_back(instance_of(table, row));
  return instances;
}

}  // namespace upsweep
