// The work of each task, and its answer.
#include "lane_tasks.h"

#include <cstring>
#include <new>

#include "../core/errors.h"
#include "../core/index_file.h"
#include "arguments.h"

namespace plog::api {

void FlushTask::run(const std::atomic<bool>& cancelled) {
  for (at_ = 0; at_ < files_.size() && !cancelled.load(std::memory_order_relaxed); ++at_) {
    status_ = files_[at_]->sync();
    if (!status_.ok()) return;
  }
}

napi_value FlushTask::answer(Environment& environment) {
  environment.answer(status_);
  environment.numbers[kPart] = static_cast<int32_t>(at_);
  return nullptr;
}

void FlushPathTask::run(const std::atomic<bool>&) {
  Call call = Call::fsync;
  const int64_t error = system_file_ops().sync_path(path_.c_str(), &call);
  if (error < 0) status_ = {static_cast<int>(error), call};
}

napi_value FlushPathTask::answer(Environment& environment) {
  environment.answer(status_);
  return nullptr;
}

void SpareTask::run(const std::atomic<bool>&) {
  spares_ = SpareFiles::make(system_file_ops(), directory_.c_str(), capacity_bytes_, &status_);
}

napi_value SpareTask::answer(Environment& environment) {
  environment.answer(status_);
  if (!spares_) return nullptr;
  const int64_t handle = environment.handles.add(std::move(spares_));
  if (handle < 0) return nullptr;
  napi_value value;
  check(napi_create_double(environment.env, static_cast<double>(handle), &value));
  return value;
}

void LookTask::run(const std::atomic<bool>& cancelled) {
  looks_.reserve(names_.size());
  status_ = look_at_files(directory_.c_str(), names_, cancelled, &looks_);
}

napi_value LookTask::answer(Environment& environment) {
  environment.answer(status_);
  environment.numbers[kPart] = static_cast<int32_t>(looks_.size());
  if (!status_.ok()) return nullptr;
  const size_t length = looks_.size() * sizeof(FileLook);
  void* data = nullptr;
  napi_value buffer;
  check(napi_create_arraybuffer(environment.env, length, &data, &buffer));
  if (length > 0) std::memcpy(data, looks_.data(), length);
  return buffer;
}

Status Piece::read(const File& file, int64_t position, int64_t wanted) {
  data.reset(new (std::nothrow) uint8_t[static_cast<size_t>(wanted)]);
  if (!data) return {errors::kNoMemory, Call::allocate};
  return file.read(data.get(), static_cast<size_t>(wanted), position, &length);
}

napi_value Piece::buffer(Environment& environment) const {
  napi_value buffer;
  check(napi_create_buffer_copy(environment.env, length, data.get(), nullptr, &buffer));
  return buffer;
}

void ReadTask::run(const std::atomic<bool>&) { status_ = piece_.read(*file_, position_, length_); }

napi_value ReadTask::answer(Environment& environment) {
  environment.answer(status_);
  return status_.ok() ? piece_.buffer(environment) : nullptr;
}

void SliceTask::run(const std::atomic<bool>&) {
  const SliceRequest& request = request_;
  const LogView log = {*request.log, request.segment_base, request.size};
  int64_t n;
  status_ = lookup_in_file(*request.index, IndexKind::offset, request.entries, request.target, &n,
                           &translation_.index_entry);
  if (!status_.ok()) return;
  uint8_t buffer[kTranslateBytes];
  Window window(*request.log, buffer, sizeof buffer, request.size, Wait::yes);
  status_ = translate(log, request.target, request.bounds.from, 0, &window, &translation_);
  if (!status_.ok()) return;
  const int64_t wanted = slice_length(log, translation_, request.bounds);
  status_ = piece_.read(*request.log, translation_.position, wanted);
  if (status_.ok()) piece_.length = keep_whole_batch(&translation_, wanted, piece_.length);
}

napi_value SliceTask::answer(Environment& environment) {
  environment.answer(status_);
  environment.answer(translation_);
  return status_.ok() ? piece_.buffer(environment) : nullptr;
}

void ScanTask::run(const std::atomic<bool>& cancelled) {
  status_ = scan_batches(*file_, request_, cancelled, &rows_, &result_);
}

napi_value ScanTask::answer(Environment& environment) {
  environment.answer(status_);
  environment.numbers[kStop] = static_cast<int32_t>(result_.stop);
  environment.numbers[kPosition] = static_cast<int32_t>(result_.end_position);
  environment.numbers[kLength] = static_cast<int32_t>(rows_.count());
  // As bits: TypeScript reads them as unsigned.
  environment.numbers[kSize] = static_cast<int32_t>(result_.crc_expected);
  environment.numbers[kMagic] = static_cast<int32_t>(result_.crc_actual);
  return nullptr;
}

napi_value CloseTask::answer(Environment& environment) {
  environment.answer(kOk);
  environment.handles.remove(address().lane);  // joins
  return nullptr;
}

}  // namespace plog::api
