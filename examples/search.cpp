// Which schedule is best for a network, from C++: g++ -std=c++20 search.cpp $(pkg-config --cflags --libs upsweep)
#include <iostream>
#include <upsweep/upsweep.hpp>

int main(int argc, char** argv) try {
  const upsweep::Result found = upsweep::run("search", {argc > 1 ? argv[1] : "model.yaml"}, R"({"workers": 16})");
  std::cout << found.table();
} catch (const upsweep::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
