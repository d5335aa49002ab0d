#include "upsweep/app/report.hpp"

#include "upsweep/io/text_file.hpp"
#include "upsweep/page/page.hpp"
#include "written_file.hpp"

namespace upsweep {

ReportOutcome run(const ReportRequest& request, const Caller& caller, const Watch& watch) {
  check_out(request.out, ".html", request.db);
  if (request.run && request.study)
    throw RequestError("", "`run` and `study`, accepted is one of them, or none for all");
  require_text_file(request.out);
  watch.show("drawing");
  const std::string html = report_page(StoreReader(request.db), {caller.tool_version, request.run, request.study});
  write_text_file(request.out, html);
  watch.show("");
  return {html.size()};
}

}  // namespace upsweep
