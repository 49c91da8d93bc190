// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plumb/core/traffic.h"

namespace plumb::config {

/// Reads a pattern file: `ranks`, single flows under [[flow]] and families of flows under [[generate]], in
/// this order. The plan is valid for a GPC of 18 SMs; a backend may still have fewer. Throws Error (caller)
/// that begins with file, line and column and names key, value and what is allowed.
[[nodiscard]] Traffic pattern_from(std::string_view text, const std::string& file);
/// The way back: a pattern file of single flows, each with the keys that differ from their defaults.
/// `comment` stands above, line by line.
[[nodiscard]] std::string pattern_text(const Traffic& traffic, std::string_view comment);
[[nodiscard]] Traffic read_pattern(const std::filesystem::path& path);

}  // namespace plumb::config
