// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/finding.h"

namespace plumb::report {

/// The findings of dsm/forms: one row for each form, pattern and width, one column for each target.
[[nodiscard]] std::string forms_table(std::span<const Finding> findings, bool colours);

}  // namespace plumb::report
