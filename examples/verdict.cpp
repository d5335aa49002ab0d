// Whether a scan pays, by structs: g++ -std=c++17 verdict.cpp $(pkg-config --cflags --libs upsweep)
#include <iostream>
#include <upsweep/commands.hpp>

int main(int argc, char** argv) try {
  upsweep::commands::SearchRequest request{{argc > 1 ? argv[1] : "model.yaml"}};
  request.workers = 16;
  const upsweep::commands::SearchOutcome found = upsweep::commands::run(request);
  if (found.best_scheme) std::cout << found.best_scheme->schedule << '\n';
  std::cout << found.verdict.sentence << '\n';
} catch (const std::exception& error) {  // upsweep::Error, or JSON of another version
  std::cerr << error.what() << '\n';
  return 1;
}
