# SPDX-License-Identifier: Apache-2.0
# Run at every build: writes version.h anew where the commit has changed since the last one.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --dirty --exclude=*
  OUTPUT_VARIABLE PLUMB_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${SOURCE}/src/core/version.h.in ${OUTPUT} @ONLY)
