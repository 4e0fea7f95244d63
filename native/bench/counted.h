// What is counted by callgrind, group by group (`npm run bench:compare`): the
// same work on the same bytes each time, on a disk in memory, so that counts
// of instructions hardly differ from run to run.
#pragma once

#include <functional>
#include <vector>

namespace plog::bench {

struct Group {
  const char* name;
  // Sets up, and has `counted` do what is to be counted.
  void (*run)();
};

inline std::vector<Group>& groups() {
  static std::vector<Group> all;
  return all;
}

struct Register {
  Register(const char* name, void (*run)()) { groups().push_back({name, run}); }
};

}  // namespace plog::bench

// Instructions count while this runs, and nowhere else.
extern "C" void plog_counted(const std::function<void()>& work);

#define PLOG_COUNT(name, text)                                     \
  static void name();                                              \
  static const plog::bench::Register register_##name(text, &name); \
  static void name()
