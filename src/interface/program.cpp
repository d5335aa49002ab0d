#include "upsweep/cli/program.hpp"

#include "upsweep/upsweep.h"

int upsweep_program(int argc, const char* const* argv) { return upsweep::cli::run_program(argc, argv); }
