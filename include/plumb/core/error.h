// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace plumb {

/// Who has to act on an error. Each maps to one exit code of the program.
enum class Fault {
  check,   ///< a check of the user's failed (exit code 1)
  caller,  ///< a mistake in the request or in an input file (exit code 2)
  device,  ///< the card or its driver failed (exit code 3)
};

/// Every error that Plumb throws on purpose. The message says what happened, why, and what to do next,
/// in one or two sentences that name the value and the place.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}

  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

/// A case that this machine cannot run though another could: a backend returns it without samples, with the
/// message as its flag, and the run goes on. Cases with one reason have one message.
class Unsupported : public Error {
 public:
  explicit Unsupported(const std::string& message) : Error(Fault::caller, message) {}
};

}  // namespace plumb
