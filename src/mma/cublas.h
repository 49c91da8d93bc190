// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "plumb/core/mma.h"

namespace plumb::mma {

/// cuBLASLt, opened at run time only if present: D = A^T B with square matrices of `work.m`, A and B of
/// work.input, D of bf16 (f16 for f16), sums of f32.
class Cublas {
 public:
  /// Throws Unsupported where no library is found or it has no algorithm, Error (device) where it fails.
  explicit Cublas(const Mma& work);
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// Queues one product of matrices in device memory.
  void multiply(const void* a, const void* b, void* d);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace plumb::mma
