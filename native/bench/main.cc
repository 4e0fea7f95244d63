// Without an argument the groups' names, a line each; with one that group once.
#include <cstdio>
#include <cstring>

#include "counted.h"

// Not to be inlined: callgrind knows it by its name.
#if defined(__GNUC__)
__attribute__((noinline))
#endif
void plog_counted(const std::function<void()>& work) {
  work();
}

int main(int argc, char** argv) {
  for (const auto& group : plog::bench::groups()) {
    if (argc < 2) {
      std::printf("%s\n", group.name);
    } else if (std::strcmp(group.name, argv[1]) == 0) {
      group.run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 1;
}
