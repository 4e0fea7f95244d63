// Taking and leaving a directory's lock on Windows: LockFileEx over the whole
// file, as the JVM does. It keeps out other handles of this process too.
#include <windows.h>

#include <cstdio>

#include "directory_lock.h"
#include "windows_errors.h"

namespace plog {

namespace {

// For people and error texts; by the handle that holds the lock, since these
// locks keep every other handle from reading and writing.
void write_pid(HANDLE file) {
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%lu\n", GetCurrentProcessId());
  OVERLAPPED start = {};
  DWORD written = 0;
  // Where it cannot be written the file says nothing; the lock holds all the same.
  WriteFile(file, text, static_cast<DWORD>(length), &written, &start);
}

bool lock_whole_file(HANDLE file) {
  OVERLAPPED start = {};
  return LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, MAXDWORD,
                    MAXDWORD, &start);
}

}  // namespace

const char* lock_kind() { return "LockFileEx"; }

// A file that is deleted while open keeps its name until it is closed, so the
// locked file is always the one of that name.
std::unique_ptr<DirectoryLock> DirectoryLock::acquire(const char* path, LockOutcome* outcome) {
  const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE file = CreateFileW(windows::wide(path).c_str(), GENERIC_READ | GENERIC_WRITE, share,
                                  nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    outcome->status = {windows::last_error(), Call::open};
    return nullptr;
  }
  if (!lock_whole_file(file)) {
    const DWORD error = GetLastError();
    outcome->answer = error == ERROR_LOCK_VIOLATION ? LockAnswer::held : LockAnswer::failed;
    if (outcome->answer == LockAnswer::failed)
      outcome->status = {windows::error_number(error), Call::fcntl};
    CloseHandle(file);
    return nullptr;
  }
  write_pid(file);
  outcome->answer = LockAnswer::taken;
  return std::unique_ptr<DirectoryLock>(new DirectoryLock(reinterpret_cast<intptr_t>(file)));
}

DirectoryLock::~DirectoryLock() { CloseHandle(reinterpret_cast<HANDLE>(file_)); }

}  // namespace plog
