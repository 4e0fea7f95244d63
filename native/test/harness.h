// A test harness of a few lines: the core is tested where nothing can be
// installed. A test is a function with a name; a failed check says where, and
// the process ends with 1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace plog::test {

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Register {
  Register(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
  std::exit(1);
}

// A small generator of our own: the same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}

  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  // A number in [least, most].
  int64_t between(int64_t least, int64_t most) {
    const uint64_t count = static_cast<uint64_t>(most) - static_cast<uint64_t>(least) + 1;
    return least + static_cast<int64_t>(next() % count);
  }

  bool chance(int of) { return next() % static_cast<uint64_t>(of) == 0; }

 private:
  uint64_t state_;
};

}  // namespace plog::test

#define PLOG_TEST(name)                                           \
  static void name();                                             \
  static const plog::test::Register register_##name(#name, name); \
  static void name()

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) plog::test::fail(__FILE__, __LINE__, #condition); \
  } while (false)
