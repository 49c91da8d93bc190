// SPDX-License-Identifier: Apache-2.0
#include "mma/descriptors.h"

#include <fmt/format.h>

#include <array>

#include "plumb/core/error.h"

namespace plumb::mma {
namespace {

using enum Number;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

constexpr std::int64_t kReach = std::int64_t{1} << 18;

/// 14 bits in units of 16 bytes (PTX ISA, "matrix-descriptor-encode").
std::uint64_t in_sixteens(const char* field, std::int64_t bytes) {
  if (bytes < 0 || bytes >= kReach || bytes % 16 != 0)
    fail("{} = {} bytes: a matrix descriptor holds multiples of 16 below {}.", field, bytes, kReach);
  return static_cast<std::uint64_t>(bytes) >> 4;
}

std::uint64_t base_offset_of(int value) {
  if (value < 0 || value > 7) fail("base offset = {}: allowed is 0 to 7.", value);
  return static_cast<std::uint64_t>(value);
}

/// Sets bits from `at` on.
class Bits {
 public:
  void put(int at, std::uint32_t value) { word_ |= value << at; }
  void put(int at, bool value) { put(at, value ? 1U : 0U); }
  [[nodiscard]] std::uint32_t word() const { return word_; }

 private:
  std::uint32_t word_ = 0;
};

/// The three bits that say what A or B holds, by the kind.
std::uint32_t code_of(Tcgen05Kind kind, Number n, char which) {
  const auto unknown = [&]() -> std::uint32_t {
    fail("{} = {}: this kind of tcgen05.mma does not take it.", which, name_of(n));
  };
  switch (kind) {
    case Tcgen05Kind::tf32:
      return n == tf32 ? 2 : unknown();
    case Tcgen05Kind::f16:
      return n == f16 ? 0 : n == bf16 ? 1 : unknown();
    case Tcgen05Kind::i8:
      return n == u8 ? 0 : n == s8 ? 1 : unknown();
    case Tcgen05Kind::mxf4:
    case Tcgen05Kind::mxf4nvf4:
      return n == mxf4 || n == nvf4 || n == e2m1 ? 1 : unknown();
    default:
      break;
  }
  switch (n) {
    case e4m3:
    case mxf8:
      return 0;
    case e5m2:
      return 1;
    case e2m3:
      return 3;
    case e3m2:
      return 4;
    case e2m1:
      return 5;
    default:
      return unknown();
  }
}

std::uint32_t code_of_d(Tcgen05Kind kind, Number d) {
  if (d == s32 && kind == Tcgen05Kind::i8) return 2;
  if (d == f32 && kind != Tcgen05Kind::i8) return 1;
  if (d == f16 && (kind == Tcgen05Kind::f16 || kind == Tcgen05Kind::f8f6f4)) return 0;
  fail("d = {}: this kind of tcgen05.mma does not add in it.", name_of(d));
}

std::uint32_t selected(const char* field, int value, int most) {
  if (value < 0 || value > most) fail("{} = {}: allowed is 0 to {}.", field, value, most);
  return static_cast<std::uint32_t>(value);
}

bool scaled(Tcgen05Kind kind) {
  return kind == Tcgen05Kind::mxf8f6f4 || kind == Tcgen05Kind::mxf4 || kind == Tcgen05Kind::mxf4nvf4;
}
bool four_bits(Tcgen05Kind kind) { return kind == Tcgen05Kind::mxf4 || kind == Tcgen05Kind::mxf4nvf4; }

void check(const Tcgen05Instruction& i) {
  if (i.saturate && i.kind != Tcgen05Kind::i8) fail("saturate = true: only integers do.");
  if ((i.negate_a || i.negate_b) && i.kind == Tcgen05Kind::i8)
    fail("negate_{} = true: integers cannot be negated.", i.negate_a ? 'a' : 'b');
  if ((i.transpose_a || i.transpose_b) && four_bits(i.kind))
    fail("transpose_{} = true: tiles of 4-bit numbers are K-major.", i.transpose_a ? 'a' : 'b');
  if (i.max_shift != 0 && scaled(i.kind)) fail("max_shift = {}: block-scaled kinds have none.", i.max_shift);
  if (!scaled(i.kind) && (i.scale_a_id != 0 || i.scale_b_id != 0))
    fail("scale_{}_id = {}: only block-scaled kinds have one.", i.scale_a_id != 0 ? 'a' : 'b',
         i.scale_a_id != 0 ? i.scale_a_id : i.scale_b_id);
  if (four_bits(i.kind) && (i.scale_a_id % 2 != 0 || i.scale_b_id % 2 != 0))
    fail("scale_{}_id = {}: of 4-bit kinds it is 0 or 2.", i.scale_a_id % 2 != 0 ? 'a' : 'b',
         i.scale_a_id % 2 != 0 ? i.scale_a_id : i.scale_b_id);
  if (i.scales_e4m3 && i.kind != Tcgen05Kind::mxf4nvf4)
    fail("scales_e4m3 = true: only mxf4nvf4 has scales of ue4m3.");
  if (i.k96 && (!four_bits(i.kind) || i.sparse)) fail("k96 = true: only dense 4-bit kinds have K = 96.");
  if (i.sparsity_selector != 0 && (!i.sparse || scaled(i.kind)))
    fail("sparsity_selector = {}: only sparse kinds without scales have one.", i.sparsity_selector);
  const int step = scaled(i.kind) ? 128 : 16;
  if (i.m <= 0 || i.m > 256 || i.m % step != 0)
    fail("m = {}: the field holds multiples of {} up to 256.", i.m, step);
  if (i.n <= 0 || i.n > 256 || i.n % 8 != 0) fail("n = {}: the field holds multiples of 8 up to 256.", i.n);
}

}  // namespace

std::uint64_t encode(const WgmmaTile& tile) {
  // PTX ISA: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
  constexpr std::array<std::uint64_t, 4> kCodes{0, 3, 2, 1};
  return in_sixteens("start", tile.start) | in_sixteens("leading", tile.leading) << 16 |
         in_sixteens("stride", tile.stride) << 32 | base_offset_of(tile.base_offset) << 49 |
         kCodes.at(static_cast<std::size_t>(tile.swizzle)) << 62;
}

std::uint64_t encode(const Tcgen05Tile& tile) {
  // PTX ISA: 0 none, 1 128 bytes in pieces of 32, 2 128 bytes, 4 64 bytes, 6 32 bytes.
  constexpr std::array<std::uint64_t, 4> kCodes{0, 6, 4, 2};
  constexpr std::uint64_t kConstant = 1;
  return in_sixteens("start", tile.start) | in_sixteens("leading", tile.leading) << 16 |
         in_sixteens("stride", tile.stride) << 32 | kConstant << 46 | base_offset_of(tile.base_offset) << 49 |
         std::uint64_t{tile.leading_is_address ? 1U : 0U} << 52 |
         kCodes.at(static_cast<std::size_t>(tile.swizzle)) << 61;
}

Tcgen05Kind kind_of(Number input) {
  switch (input) {
    case bf16:
    case f16:
      return Tcgen05Kind::f16;
    case tf32:
      return Tcgen05Kind::tf32;
    case s8:
    case u8:
      return Tcgen05Kind::i8;
    case mxf8:
      return Tcgen05Kind::mxf8f6f4;
    case mxf4:
      return Tcgen05Kind::mxf4;
    case nvf4:
      return Tcgen05Kind::mxf4nvf4;
    default:
      return Tcgen05Kind::f8f6f4;
  }
}

std::uint32_t encode(const Tcgen05Instruction& i) {
  check(i);
  Bits bits;
  bits.put(2, i.sparse);
  bits.put(7, code_of(i.kind, i.a, 'a'));
  bits.put(10, code_of(i.kind, i.b, 'b'));
  bits.put(13, i.negate_a);
  bits.put(14, i.negate_b);
  bits.put(15, i.transpose_a);
  bits.put(16, i.transpose_b);
  bits.put(17, static_cast<std::uint32_t>(i.n) >> 3);
  const std::uint32_t d = code_of_d(i.kind, i.d);
  if (!scaled(i.kind)) {
    bits.put(0, selected("sparsity_selector", i.sparsity_selector, 3));
    bits.put(3, i.saturate);
    bits.put(4, d);
    bits.put(24, static_cast<std::uint32_t>(i.m) >> 4);
    bits.put(30, selected("max_shift", i.max_shift, 3));
    return bits.word();
  }
  bits.put(4, selected("scale_b_id", i.scale_b_id, 3));
  bits.put(23, !i.scales_e4m3);
  bits.put(27, static_cast<std::uint32_t>(i.m) >> 7);
  bits.put(29, selected("scale_a_id", i.scale_a_id, 3));
  bits.put(31, i.k96);
  return bits.word();
}

}  // namespace plumb::mma
