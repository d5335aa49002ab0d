#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/page/page.hpp"
#include "written_file.hpp"

namespace upsweep::cli {
namespace {

struct ReportOptions {
  std::string db = "upsweep.sqlite";
  std::string out;
  std::optional<std::string> run;
  std::optional<std::string> study;
};

int run_report(const ReportOptions& options, const Invocation& invocation) {
  check_out(options.out, ".html", options.db);
  PageOptions page;
  page.tool_version = invocation.tool_version;
  if (options.run) page.run = static_cast<std::int64_t>(parse_positive("--run", *options.run));
  if (options.study) page.study = static_cast<std::int64_t>(parse_positive("--study", *options.study));
  if (page.run && page.study) throw UsageError("--run and --study, accepted is one of them, or none for all");
  require_text_file(options.out);
  const std::string html = report_page(StoreReader(options.db), page);
  write_text_file(options.out, html);
  report_written(options.out, html.size());
  return 0;
}

}  // namespace

Command declare_report(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "report", "Write one HTML page, to look at and to mail, about the runs and studies of a database");
  auto options = std::make_shared<ReportOptions>();
  app->add_option("--db", options->db, "the SQLite file")->type_name("FILE")->capture_default_str();
  app->add_option("--out", options->out, "the page to write: a name that ends with .html")
      ->type_name("FILE.html")
      ->required();
  app->add_option("--run", options->run, "this run alone; default: all")->type_name("ID");
  app->add_option("--study", options->study, "this study alone")->type_name("ID");
  return {app, [options, &invocation] { return run_report(*options, invocation); }};
}

}  // namespace upsweep::cli
