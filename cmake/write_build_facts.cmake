# The commit: of the checkout, else what `git archive` wrote into commit.txt.
set(commit "")
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
else()
  file(STRINGS ${SOURCE}/cmake/commit.txt commit LIMIT_COUNT 1 REGEX "^[0-9a-f]+$")
  string(SUBSTRING "${commit}" 0 10 commit)
endif()
if(commit STREQUAL "")
  set(commit unknown)
endif()
foreach(part MPI CUDA CHARTS)
  if(${part})
    set(has_${part} true)
  else()
    set(has_${part} false)
  endif()
endforeach()
file(WRITE ${OUTPUT} "#include \"upsweep/cli/build_facts.hpp\"

namespace upsweep::cli {

const BuildFacts& build_facts() {
  static const BuildFacts facts{\"${VERSION}\", \"${commit}\", \"${COMPILER}\", \"${BUILD_TYPE}\", \"${SANITIZE}\", ${has_MPI}, ${has_CUDA}, ${has_CHARTS}};
  return facts;
}

}  // namespace upsweep::cli
")
