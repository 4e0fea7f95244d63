// The few error numbers that core itself compares with or answers.
// Values are the platform's, in libuv's numbering; see status.h.
#pragma once

namespace plog::errors {

extern const int kAgain;
extern const int kBadFile;
extern const int kExists;
extern const int kFileTooBig;
extern const int kIo;
extern const int kIsDirectory;
extern const int kNoMemory;
extern const int kNoSpace;
extern const int kNotSupported;

}  // namespace plog::errors
