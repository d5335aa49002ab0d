#include <limits>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/order.hpp"

namespace upsweep::cli {

Command declare_order(CLI::App& root, const Invocation& invocation) {
  struct Options {
    std::string file;
    std::string machines = "1";
    std::string seconds = "10";
    std::string format = "table";
  };
  CLI::App* app = root.add_subcommand(
      "order", "Find the shortest orders of products of dense Jacobian chains on identical machines");
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->file, "a table of chains, CSV or CSV packed by gzip, with columns sizes and edges")
      ->required();
  app->add_option("--machines", options->machines, "identical machines, each does one operation at a time")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--seconds", options->seconds,
                  "of search for a chain; then the best order so far stands, with a bound")
      ->type_name("SECONDS")
      ->capture_default_str();
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) {
            OrderRequest request{options->file};
            request.machines =
                parse_positive("--machines", options->machines, std::numeric_limits<std::uint32_t>::max());
            request.seconds = parse_number("--seconds", options->seconds, "is a number of at least 1e-6", 1e-6);
            const auto outcome = outcome_of(request, invocation, client.watch);
            give(client, options->format, outcome);
            return 0;
          }};
}

}  // namespace upsweep::cli
