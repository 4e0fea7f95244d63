// The layout table as text, for the loader's comparison with TypeScript's.
#include "layout.h"

namespace plog::layout {

namespace {

struct Field {
  const char* name;
  int value;
};

constexpr Field kFields[] = {
    {"baseOffset", kBaseOffsetAt},
    {"length", kLengthAt},
    {"leaderEpoch", kLeaderEpochAt},
    {"magic", kMagicAt},
    {"crc", kCrcAt},
    {"attributes", kAttributesAt},
    {"lastOffsetDelta", kLastOffsetDeltaAt},
    {"baseTimestamp", kBaseTimestampAt},
    {"maxTimestamp", kMaxTimestampAt},
    {"producerId", kProducerIdAt},
    {"producerEpoch", kProducerEpochAt},
    {"baseSequence", kBaseSequenceAt},
    {"recordCount", kRecordCountAt},
    {"records", kRecordsAt},
    {"logOverhead", kLogOverhead},
    {"headerSizeUpToMagic", kHeaderSizeUpToMagic},
    {"legacyCrc", kLegacyCrcAt},
    {"legacyAttributes", kLegacyAttributesAt},
    {"legacyTimestamp", kLegacyTimestampAt},
    {"minLength", kMinLength},
    {"minLengthV1", kMinLengthV1},
    {"minLengthV2", kMinLengthV2},
};

}  // namespace

std::string fingerprint() {
  std::string text;
  for (const Field& field : kFields) {
    if (!text.empty()) text += ',';
    text += field.name;
    text += '=';
    text += std::to_string(field.value);
  }
  return text;
}

}  // namespace plog::layout
