// SPDX-License-Identifier: Apache-2.0
// Any bytes as a pattern file: read, or refused with an Error of the caller's.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "config/pattern_file.h"
#include "plumb/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)plumb::config::pattern_from({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  } catch (const plumb::Error& error) {
    if (error.fault() != plumb::Fault::caller) std::abort();
  }
  return 0;
}
