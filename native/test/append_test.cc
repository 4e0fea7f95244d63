// Appends: all or nothing, whichever call fails and however short writes are.
#include <cerrno>
#include <cstring>

#include "../core/log_file.h"
#include "batches.h"
#include "harness.h"
#include "memory_disk.h"

using namespace plog;

namespace {

struct Segment {
  std::unique_ptr<LogFile> log;
  std::unique_ptr<IndexFile> offsets;
  std::unique_ptr<IndexFile> times;
};

Segment segment(int64_t preallocate) {
  Segment made;
  Status status;
  const FileOps& ops = test::memory_file_ops();
  made.log = LogFile::open(ops, "log", OpenMode::create, 0, preallocate, &status);
  CHECK(status.ok());
  made.offsets =
      IndexFile::open(ops, "index", IndexKind::offset, OpenMode::create, 80, true, &status);
  CHECK(status.ok());
  made.times =
      IndexFile::open(ops, "timeindex", IndexKind::time, OpenMode::create, 120, true, &status);
  CHECK(status.ok());
  return made;
}

AppendOutcome append(Segment& segment, int64_t base_offset) {
  std::vector<uint8_t> bytes;
  test::add_batch(bytes, {.base_offset = base_offset, .payload = 200});
  const uint8_t offset_entry[8] = {0, 0, 0, static_cast<uint8_t>(base_offset), 0, 0, 0, 1};
  const uint8_t time_entry[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const Append request = {
      bytes.data(), static_cast<int64_t>(bytes.size()), true, offset_entry, 8, time_entry, 12};
  return segment.log->append(request, segment.offsets.get(), segment.times.get());
}

}  // namespace

PLOG_TEST(append_writes_log_then_indexes) {
  test::reset_disk();
  auto files = segment(0);
  test::disk().trace.clear();
  CHECK(append(files, 1).status.ok());
  const std::vector<std::string> expected = {"pwrite log 0+261", "pwrite index 0+8",
                                             "pwrite timeindex 0+12"};
  CHECK(test::disk().trace == expected);
  CHECK(files.log->size() == 261 && files.offsets->entries() == 1 && files.times->entries() == 1);
}

PLOG_TEST(append_goes_on_after_short_writes) {
  test::reset_disk();
  auto files = segment(0);
  test::disk().most_a_call = 7;
  CHECK(append(files, 1).status.ok());
  std::vector<uint8_t> expected;
  test::add_batch(expected, {.base_offset = 1, .payload = 200});
  CHECK(test::disk().files["log"] == expected);
}

PLOG_TEST(append_fails_as_a_whole_at_every_call) {
  for (const int64_t preallocate : {0, 1000}) {
    for (int k = 0; k < 3; ++k) {
      test::reset_disk();
      auto files = segment(preallocate);
      CHECK(append(files, 1).status.ok());
      const auto before = test::disk().files;
      test::disk().trace.clear();
      test::disk().fail_at = k;
      test::disk().fail_with = -ENOSPC;
      const auto outcome = append(files, 2);
      CHECK(outcome.status.error == -ENOSPC && outcome.status.call == Call::write &&
            !outcome.damaged);
      CHECK(static_cast<int>(outcome.part) == k);
      CHECK(test::disk().files == before);
      test::disk().fail_at = -1;
      CHECK(append(files, 2).status.ok() && files.offsets->entries() == 2 &&
            files.times->entries() == 2);
    }
  }
}

PLOG_TEST(append_says_damaged_where_it_cannot_cut_back) {
  for (int k = 0; k < 3; ++k) {
    test::reset_disk();
    auto files = segment(0);
    test::disk().trace.clear();
    test::disk().fail_from = k;
    test::disk().fail_with = -EIO;
    CHECK(append(files, 1).damaged);
  }
}

PLOG_TEST(append_on_a_full_disk_leaves_the_files_as_before) {
  for (size_t room = 0; room < 261; room += 20) {
    test::reset_disk();
    auto files = segment(0);
    const auto before = test::disk().files;
    test::disk().capacity = test::disk().used() + room;
    const auto outcome = append(files, 1);
    CHECK(outcome.status.error == -ENOSPC && !outcome.damaged && test::disk().files == before);
  }
}

PLOG_TEST(truncate_touches_nothing_that_has_its_size) {
  test::reset_disk();
  auto files = segment(1000);
  CHECK(append(files, 1).status.ok());
  CHECK(files.log->truncate(files.log->size()).ok() && test::disk().files["log"].size() == 261);
  test::disk().trace.clear();
  CHECK(files.log->truncate(files.log->size()).ok() && test::disk().trace.empty());
}
