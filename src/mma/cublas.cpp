// SPDX-License-Identifier: Apache-2.0
#include "mma/cublas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <optional>

#include "backend/cuda/memory.h"
#include "plumb/core/error.h"

namespace plumb::mma {
namespace {

// From the cuBLAS library documentation: cudaDataType_t, cublasComputeType_t, attributes of cublasLt.
constexpr int kReal32 = 0;
constexpr int kReal16 = 2;
constexpr int kRealB16 = 14;
constexpr int kRealE4m3 = 28;
constexpr int kCompute32 = 68;
constexpr int kTransposeA = 3;      // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int kTransposed = 1;      // CUBLAS_OP_T
constexpr int kWorkspaceLimit = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr std::size_t kWorkspace = std::size_t{64} << 20;

/// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  std::array<std::uint64_t, 8> algorithm;
  std::size_t workspace;
  int status;
  float waves;
  std::array<int, 4> reserved;
};

int type_of(Number n) { return n == Number::e4m3 ? kRealE4m3 : n == Number::f16 ? kReal16 : kRealB16; }

}  // namespace

struct Cublas::Library {
  void* handle = nullptr;
  void* lt = nullptr;
  void* product = nullptr;
  void* layout = nullptr;  ///< of A and B
  void* layout_d = nullptr;
  void* preference = nullptr;
  Heuristic heuristic{};
  std::optional<cuda::DeviceArray<std::byte>> workspace;

  template <class... Args>
  int result(const char* name, Args... args) const {
    auto* const function = reinterpret_cast<int (*)(Args...)>(dlsym(handle, name));
    if (function == nullptr) throw Unsupported(fmt::format("cuBLAS on this machine has no {}", name));
    return function(args...);
  }
  template <class... Args>
  void call(const char* name, Args... args) const {
    if (const int code = result(name, args...); code != 0)
      throw Error(Fault::device, fmt::format("{} failed with status {}.", name, code));
  }
  ~Library() {
    if (handle == nullptr) return;
    if (preference != nullptr) (void)result("cublasLtMatmulPreferenceDestroy", preference);
    for (void* l : {layout, layout_d})
      if (l != nullptr) (void)result("cublasLtMatrixLayoutDestroy", l);
    if (product != nullptr) (void)result("cublasLtMatmulDescDestroy", product);
    if (lt != nullptr) (void)result("cublasLtDestroy", lt);
    dlclose(handle);
  }
};

Cublas::Cublas(const Mma& work) : library_(std::make_unique<Library>()) {
  Library& l = *library_;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    l.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (l.handle != nullptr) break;
  }
  if (l.handle == nullptr)
    throw Unsupported(
        "cuBLAS is not on this machine (libcublasLt.so was not found); its share is not measured");
  const auto n = static_cast<std::uint64_t>(work.m);
  const auto leading = static_cast<std::int64_t>(work.m);
  const Number d = work.input == Number::f16 ? Number::f16 : Number::bf16;
  l.call("cublasLtCreate", &l.lt);
  l.call("cublasLtMatmulDescCreate", &l.product, kCompute32, kReal32);
  l.call("cublasLtMatmulDescSetAttribute", l.product, kTransposeA, static_cast<const void*>(&kTransposed),
         sizeof kTransposed);
  l.call("cublasLtMatrixLayoutCreate", &l.layout, type_of(work.input), n, n, leading);
  l.call("cublasLtMatrixLayoutCreate", &l.layout_d, type_of(d), n, n, leading);
  l.call("cublasLtMatmulPreferenceCreate", &l.preference);
  l.call("cublasLtMatmulPreferenceSetAttribute", l.preference, kWorkspaceLimit,
         static_cast<const void*>(&kWorkspace), sizeof kWorkspace);
  int found = 0;
  const int code = l.result("cublasLtMatmulAlgoGetHeuristic", l.lt, l.product, l.layout, l.layout, l.layout_d,
                            l.layout_d, l.preference, 1, &l.heuristic, &found);
  if (code != 0 || found == 0)
    throw Unsupported(
        fmt::format("cuBLAS has no product of {} on this card (status {})", name_of(work.input), code));
  l.workspace.emplace(kWorkspace, "cuBLAS's workspace");
}

Cublas::~Cublas() = default;

void Cublas::multiply(const void* a, const void* b, void* d) {
  const float one = 1;
  const float zero = 0;
  Library& l = *library_;
  l.call("cublasLtMatmul", l.lt, l.product, static_cast<const void*>(&one), a, l.layout, b, l.layout,
         static_cast<const void*>(&zero), static_cast<const void*>(d), l.layout_d, d, l.layout_d,
         static_cast<const void*>(l.heuristic.algorithm.data()), static_cast<void*>(l.workspace->get()),
         kWorkspace, static_cast<void*>(nullptr));
}

}  // namespace plumb::mma
