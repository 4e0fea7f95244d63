// Reading and writing a segment: scans, translations, index searches, appends.
#include <atomic>

#include "../core/batch_scan.h"
#include "../core/log_file.h"
#include "../test/batches.h"
#include "../test/harness.h"
#include "../test/memory_disk.h"
#include "counted.h"

using namespace plog;

namespace {

constexpr int kBatches = 4'000;
constexpr int kRecordsABatch = 2;
constexpr int kPayload = 244;  // with the header 305 bytes
constexpr int kBatchesAnEntry = 14;
constexpr int kLookups = 2'000;

std::vector<uint8_t> segment(int batches, int payload) {
  std::vector<uint8_t> bytes;
  for (int n = 0; n < batches; ++n) {
    test::add_batch(bytes, {.base_offset = n * kRecordsABatch,
                            .last_offset_delta = kRecordsABatch - 1,
                            .payload = payload,
                            .max_timestamp = n});
  }
  return bytes;
}

std::vector<uint8_t> index_of(size_t batch_bytes) {
  std::vector<uint8_t> entries;
  for (uint32_t n = kBatchesAnEntry; n < kBatches; n += kBatchesAnEntry) {
    const size_t at = entries.size();
    entries.resize(at + layout::kOffsetEntrySize);
    store_u32(entries.data() + at, n * kRecordsABatch + kRecordsABatch - 1);
    store_u32(entries.data() + at + 4, static_cast<uint32_t>(n * batch_bytes));
  }
  return entries;
}

std::shared_ptr<File> file_with(std::vector<uint8_t> bytes) {
  test::reset_disk().files["log"] = std::move(bytes);
  Status status;
  auto file = File::open(test::memory_file_ops(), "log", OpenMode::read, &status);
  CHECK(status.ok());
  return file;
}

std::unique_ptr<IndexFile> index_with(std::vector<uint8_t> entries) {
  test::disk().files["index"] = std::move(entries);
  Status status;
  auto index = IndexFile::open(test::memory_file_ops(), "index", IndexKind::offset, OpenMode::read,
                               0, true, &status);
  CHECK(status.ok());
  return index;
}

void scan(int batches, int payload, bool check_crc) {
  const auto bytes = segment(batches, payload);
  const auto size = static_cast<int64_t>(bytes.size());
  const auto file = file_with(bytes);
  const std::atomic<bool> cancelled{false};
  std::vector<int64_t> memory(static_cast<size_t>(batches) * BatchRows::kBytesARow / 8 + 1);
  ScanResult result;
  plog_counted([&] {
    const ScanRequest request = {0, 0, size, batches, check_crc, false, 0};
    BatchRows rows(memory.data(), static_cast<size_t>(batches) * BatchRows::kBytesARow);
    CHECK(scan_batches(*file, request, cancelled, &rows, &result).ok());
  });
  CHECK(result.end_position == size);
}

}  // namespace

PLOG_COUNT(scan_headers, "scan headers, 300 B") { scan(kBatches, kPayload, false); }
PLOG_COUNT(scan_crc, "scan with CRC, 300 B") { scan(kBatches, kPayload, true); }
PLOG_COUNT(scan_crc_large, "scan with CRC, 4 KB") { scan(kBatches / 10, 4'035, true); }

PLOG_COUNT(index_lookup, "index search") {
  test::reset_disk();
  const auto index = index_with(index_of(layout::kRecordsAt + kPayload));
  test::Random random(1);
  IndexEntry entry{};
  int64_t n = 0;
  CHECK(index->lookup(1, &n, &entry).ok());
  plog_counted([&] {
    for (int i = 0; i < kLookups; ++i)
      CHECK(index->lookup(random.between(0, kBatches * kRecordsABatch), &n, &entry).ok());
  });
}

PLOG_COUNT(translate_offset, "index search and translate") {
  const auto bytes = segment(kBatches, kPayload);
  const auto file = file_with(bytes);
  const auto index = index_with(index_of(layout::kRecordsAt + kPayload));
  const LogView view = {*file, 0, static_cast<int64_t>(bytes.size())};
  test::Random random(1);
  plog_counted([&] {
    for (int i = 0; i < kLookups; ++i) {
      const int64_t target = random.between(0, kBatches * kRecordsABatch - 1);
      Translation found;
      int64_t n = 0;
      IndexEntry entry{0, 0};
      CHECK(index->lookup(target, &n, &entry).ok());
      if (n >= 0) found.index_entry = entry;
      CHECK(translate(view, target, 0, Wait::yes, &found).ok() && found.stop == ScanStop::found);
    }
  });
}

PLOG_COUNT(append_batches, "append, 300 B with its checksum") {
  test::reset_disk();
  Status status;
  auto log = LogFile::open(test::memory_file_ops(), "log", OpenMode::create, 0, 0, &status);
  CHECK(status.ok());
  std::vector<uint8_t> batch;
  test::add_batch(batch, {.payload = kPayload});
  plog_counted([&] {
    for (int i = 0; i < kLookups; ++i) {
      const Append append = {
          batch.data(), static_cast<int64_t>(batch.size()), true, nullptr, 0, nullptr, 0};
      CHECK(log->append(append, nullptr, nullptr).status.ok());
    }
  });
}
