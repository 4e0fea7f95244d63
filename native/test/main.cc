// Runs every test, or those whose name contains the first argument.
#include <cstdint>
#include <cstring>

#include "harness.h"

int main(int argc, char** argv) {
  int run = 0;
  for (const auto& test : plog::test::cases()) {
    if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) continue;
    std::printf("%s\n", test.name);
    test.run();
    ++run;
  }
  std::printf("%d core tests passed\n", run);
  return run == 0 ? 1 : 0;
}
