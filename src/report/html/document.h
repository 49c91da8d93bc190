// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "claims/claims.h"
#include "report/html/block.h"

namespace plumb::report::html {

/// The page of one card as data: header, warnings, sections. `others` are further cards: simulated runs stand
/// beside the measurement, siblings are compared with it. `explained` is what `plumb explain --json` printed;
/// null where there is none.
[[nodiscard]] Json document(std::span<const Card> cards, const claims::Board& board = {},
                            const Json& explained = {});

/// The template with `document` in its `<script type="application/json" id="plumb-data">`. Whatever could end
/// that element or start markup is escaped: names in a recording come from strangers. Throws Error (caller)
/// where the template has no such place.
[[nodiscard]] std::string page(std::string_view document_template, const Json& document);

/// JSON as text that is inert in HTML: <, >, &, U+2028 and U+2029 as \u escapes, broken UTF-8 replaced.
[[nodiscard]] std::string inert(const Json& json);

}  // namespace plumb::report::html
