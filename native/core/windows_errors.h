// Windows' error numbers in libuv's numbering, and paths in its encoding.
#pragma once

#include <windows.h>

#include <string>

namespace plog::windows {

inline int error_number(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
      return -4058;  // ENOENT
    case ERROR_ACCESS_DENIED:
    case ERROR_PRIVILEGE_NOT_HELD:
      return -4048;  // EPERM
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return -4075;  // EEXIST
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return -4082;  // EBUSY
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return -4055;  // ENOSPC
    case ERROR_TOO_MANY_OPEN_FILES:
      return -4066;  // EMFILE
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return -4057;  // ENOMEM
    case ERROR_INVALID_HANDLE:
      return -4083;  // EBADF
    case ERROR_INVALID_PARAMETER:
      return -4071;  // EINVAL
    case ERROR_WRITE_PROTECT:
      return -4047;  // EROFS
    case ERROR_CRC:
    case ERROR_IO_DEVICE:
    case ERROR_GEN_FAILURE:
      return -4070;  // EIO
    default:
      return -4094;  // UNKNOWN
  }
}

inline int last_error() { return error_number(GetLastError()); }

inline std::wstring wide(const char* utf8) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, utf8, -1, nullptr, 0);
  std::wstring text(length > 0 ? static_cast<size_t>(length) : 1, L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8, -1, text.data(), length);
  text.resize(text.size() - 1);  // the terminator
  return text;
}

}  // namespace plog::windows
