// Files made ahead: nothing of them is left unless they are taken.
#include "../core/spare_files.h"

#include "../core/index_file.h"
#include "../core/log_file.h"
#include "harness.h"
#include "memory_disk.h"

using namespace plog;

namespace {

std::unique_ptr<SpareFiles> make(Status* status) {
  return SpareFiles::make(test::memory_file_ops(), "directory", 100, status);
}

}  // namespace

PLOG_TEST(spare_files_become_those_of_a_segment) {
  test::reset_disk();
  Status status;
  auto spares = make(&status);
  CHECK(status.ok() && spares != nullptr);
  auto log = LogFile::from_spare(*spares, "log", 7);
  auto offsets = IndexFile::from_spare(*spares, "index", IndexKind::offset, true);
  auto times = IndexFile::from_spare(*spares, "timeindex", IndexKind::time, true);
  CHECK(log != nullptr && log->size() == 0 && log->base_offset() == 7);
  CHECK(offsets != nullptr && offsets->entries() == 0 && offsets->length() == 96);
  CHECK(times != nullptr && times->entries() == 0 && times->length() == 96);
  CHECK(test::disk().files["index"].size() == 96 && test::disk().files["timeindex"].size() == 96);
  CHECK(LogFile::from_spare(*spares, "again", 7) == nullptr);
  spares.reset();
  CHECK(test::disk().open_files == 3);
}

PLOG_TEST(spare_files_are_not_taken_under_a_name_that_is_there) {
  test::reset_disk().files["log"] = {1, 2, 3};
  Status status;
  auto spares = make(&status);
  CHECK(LogFile::from_spare(*spares, "log", 0) == nullptr);
  CHECK(test::disk().files["log"].size() == 3);
  spares.reset();
  CHECK(test::disk().open_files == 0);
}

PLOG_TEST(spare_files_are_all_made_or_none) {
  for (int n = 0; n < 5; ++n) {
    test::reset_disk().fail_at = n;
    test::disk().fail_with = -28;
    Status status;
    CHECK(make(&status) == nullptr && status.error == -28);
    CHECK(test::disk().open_files == 0);
  }
}
