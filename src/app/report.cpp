#include "upsweep/app/report.hpp"

#include "outputs.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/page/page.hpp"

namespace upsweep {

ReportOutcome run(const ReportRequest& request, const Caller& caller, const Watch& watch) {
  check_ending(request.out, ".html");
  if (request.run && request.study)
    throw RequestError("", "`run` and `study`, accepted is one of them, or none for all");
  check_output({"out", request.out, kPageMark}, {{"db", request.db}}, request.force);
  watch.show("drawing");
  const std::string html = report_page(StoreReader(request.db), {caller.tool_version, request.run, request.study});
  write_text_file(request.out, html);
  watch.show("");
  return {html.size()};
}

}  // namespace upsweep
