// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "plumb/core/error.h"

namespace plumb::test {

/// The message of the Error that `call` throws, or a failed test.
template <class Call>
std::string message_of(Call&& call, Fault fault = Fault::caller) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault);
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace plumb::test

/// RapidCheck inside a GoogleTest case: a counterexample fails the test and is printed.
#define PLUMB_PROPERTY(suite, name, ...) \
  TEST(suite, name) { ASSERT_TRUE(rc::check(#suite "." #name, __VA_ARGS__)); }
