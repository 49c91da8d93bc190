// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/swizzle.h"

#include <array>

#include "core/names.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 4> kSwizzles{"none", "32B", "64B", "128B"};

}  // namespace

std::string_view name_of(Swizzle swizzle) noexcept { return kSwizzles[static_cast<std::size_t>(swizzle)]; }
Swizzle swizzle_from(std::string_view name) { return enum_from<Swizzle>(kSwizzles, "swizzle", name); }

}  // namespace plumb
