// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/mma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 4> kFamilies{"wgmma", "tcgen05", "mma.sync", "cublas"};
constexpr std::array<std::string_view, 15> kNumbers{"bf16", "f16",  "tf32", "e4m3", "e5m2",
                                                    "e2m3", "e3m2", "e2m1", "s8",   "u8",
                                                    "mxf8", "mxf4", "nvf4", "f32",  "s32"};
constexpr std::array<std::string_view, 4> kOperands{"ss", "rs", "ts", "rr"};
constexpr std::array<std::string_view, 4> kData{"random", "zeros", "constant", "activations"};
constexpr int kMostBatches = 1 << 24;
constexpr int kMostGroups = 4;
constexpr int kMostWarps = 16;

using enum Number;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

template <class T>
bool among(const std::vector<T>& allowed, T value) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

template <class T>
std::string listed(const std::vector<T>& values) {
  std::string out;
  for (const T v : values) out += fmt::format("{}{}", out.empty() ? "" : ", ", name_of(v));
  return out;
}

std::vector<Number> inputs_of(MmaFamily family) {
  switch (family) {
    case MmaFamily::wgmma:
    case MmaFamily::mma_sync:
      return {bf16, f16, tf32, e4m3, e5m2, s8, u8};
    case MmaFamily::tcgen05:
      return {bf16, f16, tf32, e4m3, e5m2, e2m3, e3m2, e2m1, s8, u8, mxf8, mxf4, nvf4};
    default:
      return {bf16, f16, e4m3};
  }
}

/// PTX ISA: the accumulators that the instructions of a family have for an input.
std::vector<Number> outputs_of(MmaFamily family, Number input) {
  if (is_integer(input)) return {s32};
  if (family == MmaFamily::library) return {f32};
  if (input == f16) return {f16, f32};
  const bool narrow = bits_of(input) == 8 && !is_block_scaled(input);
  if (narrow && family != MmaFamily::mma_sync) return {f16, f32};
  return {f32};
}

void check_numbers(const Mma& o) {
  const auto inputs = inputs_of(o.family);
  if (!among(inputs, o.input))
    fail("input = {}: {} takes {}.", name_of(o.input), name_of(o.family), listed(inputs));
  const auto outputs = outputs_of(o.family, o.input);
  if (!among(outputs, o.output))
    fail("output = {}: {} of {} adds in {}.", name_of(o.output), name_of(o.family), name_of(o.input),
         listed(outputs));
}

void check_operands(const Mma& o) {
  std::vector<Operands> allowed{Operands::rr};
  if (o.family == MmaFamily::wgmma) allowed = {Operands::ss, Operands::rs};
  if (o.family == MmaFamily::tcgen05) allowed = {Operands::ss, Operands::ts};
  if (o.family == MmaFamily::library) allowed = {Operands::ss};
  if (!among(allowed, o.operands))
    fail("operands = {}: {} has {}.", name_of(o.operands), name_of(o.family), listed(allowed));
}

void check_groups(const Mma& o) {
  switch (o.family) {
    case MmaFamily::wgmma:
      if (o.groups < 1 || o.groups > kMostGroups)
        fail("groups = {}: allowed is 1 to {} warpgroups.", o.groups, kMostGroups);
      if (const int most = most_warpgroups(o.output == f16 ? o.n / 4 : o.n / 2, o.operands == Operands::rs);
          o.groups > most)
        fail(
            "groups = {}: the registers of an SM hold the accumulators of {} warpgroups with n = {}, "
            "operands = {}.",
            o.groups, most, o.n, name_of(o.operands));
      return;
    case MmaFamily::tcgen05:
      if (o.groups != 1 && o.groups != 2) fail("groups = {}: one instruction runs on 1 or 2 SMs.", o.groups);
      return;
    case MmaFamily::mma_sync:
      if (o.groups < 1 || o.groups > kMostWarps)
        fail("groups = {}: allowed is 1 to {} warps.", o.groups, kMostWarps);
      return;
    default:
      if (o.groups != 1) fail("groups = {}: a library's product has one.", o.groups);
  }
}

/// PTX ISA, "Asynchronous wgmma instructions: matrix shape".
void check_wgmma_shape(const Mma& o) {
  if (o.m != 64) fail("m = {}: wgmma has m = 64.", o.m);
  if (o.n < 8 || o.n > 256 || o.n % 8 != 0) fail("n = {}: wgmma takes 8 to 256 in steps of 8.", o.n);
  if (is_integer(o.input) && o.n > 32 && o.n % 16 != 0)
    fail("n = {}: wgmma of {} takes 8, 16, 24, 32, and above in steps of 16.", o.n, name_of(o.input));
}

/// PTX ISA, "tcgen05: matrix shape".
void check_tcgen05_shape(const Mma& o) {
  std::vector<int> ms{64, 128};
  if (o.groups == 2) ms = {128, 256};
  if (o.groups == 1 && is_block_scaled(o.input)) ms = {128};
  if (!among(ms, o.m))
    fail("m = {}: tcgen05 of {} on {} SM{} takes {}.", o.m, name_of(o.input), o.groups,
         o.groups == 1 ? "" : "s", fmt::join(ms, ", "));
  if (is_integer(o.input)) {
    const bool one = o.groups == 1 && (o.n == 8 || o.n == 24 || (o.n >= 16 && o.n <= 256 && o.n % 16 == 0));
    const bool two = o.groups == 2 && o.n >= 32 && o.n <= 256 && o.n % 32 == 0;
    if (!one && !two)
      fail("n = {}: tcgen05 of {} on {}.", o.n, name_of(o.input),
           o.groups == 1 ? "1 SM takes 8, 16, 24, and 32 to 256 in steps of 16"
                         : "2 SMs takes 32 to 256 in steps of 32");
    return;
  }
  const int step = o.groups == 1 ? 8 : 16;
  if (o.n < step || o.n > 256 || o.n % step != 0)
    fail("n = {}: tcgen05 of {} on {} SM{} takes {} to 256 in steps of {}.", o.n, name_of(o.input), o.groups,
         o.groups == 1 ? "" : "s", step, step);
}

void check_shape(const Mma& o) {
  switch (o.family) {
    case MmaFamily::wgmma:
      return check_wgmma_shape(o);
    case MmaFamily::tcgen05:
      return check_tcgen05_shape(o);
    case MmaFamily::mma_sync:
      if (o.m != 16 || o.n != 8) fail("m = {}, n = {}: mma.sync has m = 16, n = 8.", o.m, o.n);
      return;
    default:
      if (o.m < 256 || o.m > 32768 || o.m % 256 != 0 || o.n != o.m)
        fail("m = {}, n = {}: a library's product is square, 256 to 32768 in steps of 256.", o.m, o.n);
  }
}

void check_layout(const Mma& o) {
  const bool half = o.input == bf16 || o.input == f16;
  const bool tiles = o.family == MmaFamily::wgmma || o.family == MmaFamily::tcgen05;
  if (!tiles && (o.a_mn_major || o.b_mn_major || o.swizzle != Swizzle::b128))
    fail("swizzle = {}: {} has no tiles in shared memory; leave swizzle and majors as they are.",
         name_of(o.swizzle), name_of(o.family));
  if ((o.a_mn_major || o.b_mn_major) && !half)
    fail("{}_mn_major = true: only 16-bit numbers can be stored so, and {} are not.",
         o.a_mn_major ? 'a' : 'b', name_of(o.input));
  if (o.operands == Operands::ts && (o.input == e2m3 || o.input == e3m2 || o.input == e2m1))
    fail("operands = ts: how {} lie in tensor memory is not documented well enough to be checked; give ss.",
         name_of(o.input));
  if (o.a_mn_major && o.operands != Operands::ss)
    fail("a_mn_major = true: A is not in shared memory (operands = {}).", name_of(o.operands));
}

void check_sparse(const Mma& o) {
  if (!o.sparse) return;
  if (o.family != MmaFamily::wgmma)
    fail("sparse = true: only wgmma is measured so, not {}.", name_of(o.family));
  if (o.a_mn_major || o.b_mn_major) fail("sparse = true: it is measured with both tiles K-major.");
  if (o.swizzle == Swizzle::none || o.swizzle == Swizzle::b32)
    fail("swizzle = {}: a sparse instruction takes 64 bytes of each column of B; give 64B or 128B.",
         name_of(o.swizzle));
}

void check_work(const Mma& o) {
  if (o.in_flight < 1 || o.in_flight > kMostInFlight)
    fail("in_flight = {}: allowed is 1 to {}.", o.in_flight, kMostInFlight);
  if (o.family == MmaFamily::mma_sync && !among(std::vector<int>{1, 2, 4, 8}, o.in_flight))
    fail("in_flight = {}: mma.sync has 1, 2, 4 or 8 accumulators.", o.in_flight);
  if (o.batches < 1 || o.batches > kMostBatches)
    fail("batches = {}: allowed is 1 to {}.", o.batches, kMostBatches);
  if (o.family == MmaFamily::mma_sync && o.batches % kMmaSteps != 0)
    fail("batches = {}: mma.sync walks {} steps of K; give a multiple of that.", o.batches, kMmaSteps);
}

}  // namespace

std::string_view name_of(MmaFamily family) noexcept { return kFamilies[static_cast<std::size_t>(family)]; }
std::string_view name_of(Number number) noexcept { return kNumbers[static_cast<std::size_t>(number)]; }
std::string_view name_of(Operands operands) noexcept { return kOperands[static_cast<std::size_t>(operands)]; }
std::string_view name_of(MmaData data) noexcept { return kData[static_cast<std::size_t>(data)]; }
MmaFamily mma_family_from(std::string_view name) {
  return enum_from<MmaFamily>(kFamilies, "family of instructions", name);
}
Number number_from(std::string_view name) { return enum_from<Number>(kNumbers, "number format", name); }
Operands operands_from(std::string_view name) { return enum_from<Operands>(kOperands, "operands", name); }
MmaData mma_data_from(std::string_view name) { return enum_from<MmaData>(kData, "data", name); }

int bits_of(Number number) noexcept {
  switch (number) {
    case bf16:
    case f16:
      return 16;
    case tf32:
    case f32:
    case s32:
      return 32;
    case mxf4:
    case nvf4:
      return 4;
    default:
      return 8;
  }
}

int k_of(const Mma& mma) noexcept {
  if (mma.family == MmaFamily::library) return 0;
  return kMmaRowBytes * 8 / bits_of(mma.input) * (mma.sparse ? 2 : 1);
}

std::int64_t flop_of(const Mma& mma) noexcept {
  const std::int64_t k = mma.family == MmaFamily::library ? mma.m : k_of(mma);
  return std::int64_t{2} * mma.m * mma.n * k;
}

std::int64_t instructions(const Mma& mma) noexcept {
  const int streams = mma.family == MmaFamily::tcgen05 ? 1 : mma.groups;
  return std::int64_t{mma.batches} * mma.in_flight * streams;
}

std::string instruction_of(const Mma& mma) {
  std::string text = fmt::format("{}{} {}.{} m{}n{}k{} {}", name_of(mma.family), mma.sparse ? ".sp" : "",
                                 name_of(mma.input), name_of(mma.output), mma.m, mma.n,
                                 mma.family == MmaFamily::library ? mma.m : k_of(mma), name_of(mma.operands));
  if (mma.a_mn_major) text += " A-MN-major";
  if (mma.b_mn_major) text += " B-MN-major";
  return text;
}

void validate(const Mma& mma) {
  check_numbers(mma);
  check_operands(mma);
  check_groups(mma);
  check_shape(mma);
  check_layout(mma);
  check_sparse(mma);
  check_work(mma);
}

}  // namespace plumb
