// The system's file calls on Windows. Files are opened so that they may be
// renamed and deleted while open, as the engine does; there is no mapping and
// no read that does not wait.
#include <windows.h>

#include <string>

#include "errors.h"
#include "file_looks.h"
#include "file_ops.h"
#include "windows_errors.h"

namespace plog {

namespace errors {

const int kAgain = -4088;
const int kBadFile = -4083;
const int kExists = -4075;
const int kFileTooBig = -4036;
const int kIo = -4070;
const int kIsDirectory = -4068;
const int kNoMemory = -4057;
const int kNoSpace = -4055;
const int kNotSupported = -4049;

}  // namespace errors

namespace {

using windows::last_error;
using windows::wide;

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

HANDLE handle_of(FileId file) { return reinterpret_cast<HANDLE>(file); }

bool is_directory(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

int64_t open_file(const char* path, OpenMode mode, FileId* file) {
  const std::wstring name = wide(path);
  const DWORD access = mode == OpenMode::read ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE;
  const DWORD creation = mode == OpenMode::create ? CREATE_ALWAYS : OPEN_EXISTING;
  const HANDLE handle = CreateFileW(name.c_str(), access, kShareAll, nullptr, creation,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE)
    return is_directory(name) ? errors::kIsDirectory : last_error();
  *file = reinterpret_cast<FileId>(handle);
  return 0;
}

int64_t close_file(FileId file) { return CloseHandle(handle_of(file)) ? 0 : last_error(); }

int64_t file_length(FileId file) {
  LARGE_INTEGER length;
  return GetFileSizeEx(handle_of(file), &length) ? length.QuadPart : last_error();
}

int64_t open_unnamed(const char*, FileId*) { return errors::kNotSupported; }

int64_t give_name(FileId, const char*) { return errors::kNotSupported; }

int64_t remove_file(const char* path) { return DeleteFileW(wide(path).c_str()) ? 0 : last_error(); }

OVERLAPPED at_position(int64_t position) {
  OVERLAPPED at = {};
  at.Offset = static_cast<DWORD>(position);
  at.OffsetHigh = static_cast<DWORD>(static_cast<uint64_t>(position) >> 32);
  return at;
}

int64_t read_at(FileId file, uint8_t* bytes, size_t length, int64_t position) {
  OVERLAPPED at = at_position(position);
  DWORD count = 0;
  if (ReadFile(handle_of(file), bytes, static_cast<DWORD>(length), &count, &at)) return count;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : last_error();
}

int64_t read_cached_at(FileId, uint8_t*, size_t, int64_t) { return errors::kNotSupported; }

int64_t write_at(FileId file, const uint8_t* bytes, size_t length, int64_t position) {
  OVERLAPPED at = at_position(position);
  DWORD count = 0;
  return WriteFile(handle_of(file), bytes, static_cast<DWORD>(length), &count, &at) ? count
                                                                                    : last_error();
}

int64_t set_length(FileId file, int64_t length) {
  FILE_END_OF_FILE_INFO end;
  end.EndOfFile.QuadPart = length;
  return SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end)
             ? 0
             : last_error();
}

// A longer file has its clusters at once; NTFS answers zeros for them.
int64_t reserve(FileId file, int64_t length, Call* call) {
  *call = Call::ftruncate;
  return set_length(file, length);
}

int64_t sync_data(FileId file) { return FlushFileBuffers(handle_of(file)) ? 0 : last_error(); }

// Directories cannot be synced and need not be: the file system's own journal
// keeps their entries in order.
int64_t sync_path(const char* path, Call* call) {
  *call = Call::open;
  const std::wstring name = wide(path);
  if (is_directory(name)) return 0;
  const HANDLE handle = CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, kShareAll, nullptr,
                                    OPEN_EXISTING, 0, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return last_error();
  *call = Call::fsync;
  const int64_t error = FlushFileBuffers(handle) ? 0 : last_error();
  CloseHandle(handle);
  return error;
}

// A mapped file could not be cut or renamed.
int64_t map_file(FileId, size_t, const uint8_t**) { return errors::kNotSupported; }

void unmap_file(const uint8_t*, size_t) {}

constexpr FileOps kSystem = {
    open_file,   close_file, open_unnamed,   give_name, file_length,
    remove_file, read_at,    read_cached_at, write_at,  set_length,
    reserve,     sync_data,  sync_path,      map_file,  unmap_file,
};

}  // namespace

const FileOps& system_file_ops() { return kSystem; }

// Left to Node.
Status look_at_files(const char*, const std::vector<std::string>&, const std::atomic<bool>&,
                     std::vector<FileLook>*) {
  return {errors::kNotSupported, Call::stat};
}

}  // namespace plog
