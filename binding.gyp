# The addon, by node-gyp: sources are found by folder, and files of other
# platforms and processors are left out by name. CMakeLists.txt builds the same.
{
  "targets": [{
    "target_name": "partition_log",
    "sources": [
      "native/addon.cc",
      "<!@(node -p \"require('fs').readdirSync('native/api').filter(f=>f.endsWith('.cc')).sort().map(f=>'native/api/'+f).join(' ')\")",
      "<!@(node -p \"require('fs').readdirSync('native/core').filter(f=>f.endsWith('.cc')).sort().map(f=>'native/core/'+f).join(' ')\")"
    ],
    "defines": [
      "NAPI_VERSION=8",
      "PARTITION_LOG_SOURCE_HASH=\"<!(node scripts/native-hash.cjs)\""
    ],
    "cflags!": ["-fno-exceptions", "-O2"],
    "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20", "-O2"],
    "cflags_cc": ["-std=c++20", "-O3", "-fvisibility=hidden", "-Wall", "-Wextra"],
    "xcode_settings": {
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "GCC_OPTIMIZATION_LEVEL": "3",
      "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
      "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
      "MACOSX_DEPLOYMENT_TARGET": "11.0"
    },
    "msvs_settings": {
      "VCCLCompilerTool": {"ExceptionHandling": 1, "AdditionalOptions": ["/std:c++20"]}
    },
    "conditions": [
      ["OS=='win'", {
        "sources!": ["native/core/file_posix.cc", "native/core/directory_lock_posix.cc", "native/core/thread_posix.cc", "native/core/memory_posix.cc"],
        "defines": ["NOMINMAX", "WIN32_LEAN_AND_MEAN"]
      }, {
        "sources!": ["native/core/file_windows.cc", "native/core/directory_lock_windows.cc", "native/core/thread_windows.cc", "native/core/memory_windows.cc", "native/core/cpu_windows.cc"]
      }],
      ["OS!='linux'", {
        "sources!": ["native/core/file_linux.cc", "native/core/file_looks_linux.cc", "native/core/lock_linux.cc", "native/core/cpu_linux.cc"]
      }],
      ["OS!='mac'", {
        "sources!": ["native/core/file_darwin.cc", "native/core/lock_darwin.cc", "native/core/cpu_darwin.cc"]
      }],
      ["target_arch!='x64'", {"sources!": ["native/core/crc32c_x86.cc", "native/core/md5_x86.cc"]}],
      ["target_arch!='arm64'", {"sources!": ["native/core/crc32c_arm64.cc"]}],
      ["target_arch=='x64' or target_arch=='arm64'", {"sources!": ["native/core/crc32c_other.cc"]}]
    ]
  }]
}
