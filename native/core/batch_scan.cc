// The scan's loop: one header, its checks, its row.
#include "batch_scan.h"

#include <memory>
#include <new>

#include "crc.h"
#include "errors.h"
#include "window.h"

namespace plog {

namespace {

// What a processor core keeps at hand, beside what is made of it.
constexpr size_t kReadBytes = 256 << 10;
// Where one batch is looked for it is mostly near: reads begin small.
constexpr size_t kFirstReadBytes = 16 << 10;
constexpr size_t kReadGrowth = 4;
// Where batches are larger and their bytes are not wanted, a system call for
// each header costs less than all the bytes between.
constexpr int32_t kLargeBatch = 6 << 10;

// Kept, since new memory costs more than what is read into it. Null where there is none.
uint8_t* thread_buffer() {
  thread_local std::unique_ptr<uint8_t[]> buffer;
  if (!buffer) buffer.reset(new (std::nothrow) uint8_t[kReadBytes]);
  return buffer.get();
}

class Scan {
 public:
  Scan(const File& file, uint8_t* buffer, const ScanRequest& request,
       const std::atomic<bool>& cancelled, BatchRows* rows, ScanResult* result)
      : window_(file, buffer, kReadBytes, request.end, Wait::yes),
        request_(request),
        cancelled_(cancelled),
        order_(request.segment_base),
        rows_(*rows),
        result_(*result),
        most_ahead_(request.has_until ? kFirstReadBytes : kReadBytes) {}

  Status run() {
    int64_t position = request_.from;
    Status status = window_.look_for_cut();
    if (!status.ok()) return status;
    do {
      result_.end_position = position;
    } while (step(&position, &status));
    return status;
  }

 private:
  // True where there may be another batch at the new `position`.
  bool step(int64_t* position, Status* status) {
    if (window_.is_end(*position)) return stop(ScanStop::end);
    if (read_ >= request_.max_batches || rows_.is_full()) return stop(ScanStop::limit);
    if (cancelled_.load(std::memory_order_relaxed)) return stop(ScanStop::limit);
    const uint8_t* at = header_at(*position, status);
    if (!status->ok()) return false;
    BatchHeader header;
    const ScanStop found = read_header(at, window_.end() - *position, &header);
    if (found != ScanStop::found) return stop(found);
    if (request_.check_crc && !checksum_holds(header, *position, status)) return false;
    if (!order_.accept(header)) return stop(ScanStop::offset_order);
    ++read_;
    const bool wanted = !request_.has_until || header.max_timestamp >= request_.until_timestamp;
    if (wanted) rows_.add(header, *position);
    far_apart_ = header.size > kLargeBatch && !request_.check_crc;
    *position += header.size;
    if (!wanted || !request_.has_until) return true;
    result_.end_position = *position;
    return stop(ScanStop::limit);
  }

  // False where the checksum differs or bytes could not be read.
  bool checksum_holds(const BatchHeader& header, int64_t position, Status* status) {
    const int64_t end = position + header.size;
    uint32_t crc = 0;
    for (int64_t at = position + header.checksum_from(); at < end;) {
      const uint8_t* bytes = window_.at(at, 1, kReadBytes, status);
      if (!status->ok() || cancelled_.load(std::memory_order_relaxed)) return false;
      if (at >= window_.end()) return stop(ScanStop::torn_batch);  // cut meanwhile
      const size_t piece = std::min(window_.available(at), static_cast<size_t>(end - at));
      crc = header.magic == 2 ? crc32c(crc, bytes, piece) : crc32_ieee(crc, bytes, piece);
      at += static_cast<int64_t>(piece);
    }
    if (crc == header.crc) return true;
    result_.crc_expected = header.crc;
    result_.crc_actual = crc;
    return stop(ScanStop::bad_crc);
  }

  const uint8_t* header_at(int64_t position, Status* status) {
    if (window_.holds(position, kHeaderWindow))
      return window_.at(position, kHeaderWindow, 0, status);
    if (far_apart_) return window_.at(position, kHeaderWindow, kHeaderWindow, status);
    const size_t ahead = most_ahead_;
    most_ahead_ = std::min(kReadBytes, ahead * kReadGrowth);
    return window_.at(position, kHeaderWindow, ahead, status);
  }

  bool stop(ScanStop why) {
    result_.stop = why;
    return false;
  }

  Window window_;
  const ScanRequest& request_;
  const std::atomic<bool>& cancelled_;
  OffsetOrder order_;
  BatchRows& rows_;
  ScanResult& result_;
  size_t most_ahead_;
  bool far_apart_ = false;
  int64_t read_ = 0;
};

}  // namespace

Status scan_batches(const File& file, const ScanRequest& request,
                    const std::atomic<bool>& cancelled, BatchRows* rows, ScanResult* result) {
  uint8_t* buffer = thread_buffer();
  if (buffer == nullptr) return {errors::kNoMemory, Call::allocate};
  return Scan(file, buffer, request, cancelled, rows, result).run();
}

}  // namespace plog
