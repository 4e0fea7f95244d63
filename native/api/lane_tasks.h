// What lanes do. Every task owns its files and its results; all that it knows
// of logs and indexes are values of the turn in which it was asked for.
#pragma once

#include <string>
#include <vector>

#include "../core/batch_scan.h"
#include "../core/file_looks.h"
#include "../core/spare_files.h"
#include "../core/translate.h"
#include "lane_task.h"

namespace plog::api {

using SharedFile = std::shared_ptr<File>;

// fdatasync of each file; ends with the first that fails.
class FlushTask : public LaneTask {
 public:
  FlushTask(Address address, std::vector<SharedFile> files)
      : LaneTask(address), files_(std::move(files)) {}
  void run(const std::atomic<bool>& cancelled) override;
  napi_value answer(Environment& environment) override;

 private:
  std::vector<SharedFile> files_;
  size_t at_ = 0;
  Status status_;
};

class FlushPathTask : public LaneTask {
 public:
  FlushPathTask(Address address, std::string path) : LaneTask(address), path_(std::move(path)) {}
  void run(const std::atomic<bool>& cancelled) override;
  napi_value answer(Environment& environment) override;

 private:
  std::string path_;
  Status status_;
};

class SpareTask : public LaneTask {
 public:
  SpareTask(Address address, std::string directory, int64_t capacity_bytes)
      : LaneTask(address), directory_(std::move(directory)), capacity_bytes_(capacity_bytes) {}
  void run(const std::atomic<bool>& cancelled) override;
  napi_value answer(Environment& environment) override;

 private:
  std::string directory_;
  int64_t capacity_bytes_;
  std::unique_ptr<SpareFiles> spares_;
  Status status_;
};

class LookTask : public LaneTask {
 public:
  LookTask(Address address, std::string directory, std::vector<std::string> names)
      : LaneTask(address), directory_(std::move(directory)), names_(std::move(names)) {}
  void run(const std::atomic<bool>& cancelled) override;
  // Three doubles a name in one ArrayBuffer.
  napi_value answer(Environment& environment) override;

 private:
  std::string directory_;
  std::vector<std::string> names_;
  std::vector<FileLook> looks_;
  Status status_;
};

// Bytes that a task has read, on their way into a Buffer.
struct Piece {
  std::unique_ptr<uint8_t[]> data;
  size_t length = 0;

  Status read(const File& file, int64_t position, int64_t length);
  napi_value buffer(Environment& environment) const;
};

class ReadTask : public LaneTask {
 public:
  ReadTask(Address address, SharedFile file, int64_t position, int64_t length)
      : LaneTask(address), file_(std::move(file)), position_(position), length_(length) {}
  void run(const std::atomic<bool>& cancelled) override;
  napi_value answer(Environment& environment) override;

 private:
  SharedFile file_;
  int64_t position_;
  int64_t length_;
  Piece piece_;
  Status status_;
};

struct SliceRequest {
  SharedFile log;
  SharedFile index;
  int64_t segment_base;
  int64_t size;
  int64_t entries;
  int64_t target;
  SliceBounds bounds;
};

class SliceTask : public LaneTask {
 public:
  SliceTask(Address address, SliceRequest request)
      : LaneTask(address), request_(std::move(request)) {}
  void run(const std::atomic<bool>& cancelled) override;
  napi_value answer(Environment& environment) override;

 private:
  SliceRequest request_;
  Translation translation_;
  Piece piece_;
  Status status_;
};

class ScanTask : public LaneTask {
 public:
  // JavaScript keeps the memory of the rows until the answer, which says how many there are.
  ScanTask(Address address, SharedFile file, ScanRequest request, BatchRows rows)
      : LaneTask(address), file_(std::move(file)), request_(request), rows_(rows) {}
  void run(const std::atomic<bool>& cancelled) override;
  napi_value answer(Environment& environment) override;

 private:
  SharedFile file_;
  ScanRequest request_;
  BatchRows rows_;
  ScanResult result_;
  Status status_;
};

// A lane's last task: its answer waits for the thread's end.
class CloseTask : public LaneTask {
 public:
  explicit CloseTask(Address address) : LaneTask(address) {}
  void run(const std::atomic<bool>&) override {}
  napi_value answer(Environment& environment) override;
};

}  // namespace plog::api
