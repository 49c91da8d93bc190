// SPDX-License-Identifier: Apache-2.0
// Headers that nearly all tests read are compiled with this file, once (plumb_quick_to_build).
