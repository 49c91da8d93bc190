// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "support.h"

namespace plumb::test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Result {
  int code = 0;
  std::string out;
  std::string err;
};

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder for one test, in which the program runs.
class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("plumb-cli-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] Result run(const std::string& arguments, const std::string& environment = "") const {
    const std::string command = "cd " + folder_.string() + " && " + environment + " " + PLUMB_PROGRAM + " " +
                                arguments + " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), slurp(folder_ / "out.txt"), slurp(folder_ / "err.txt")};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

/// The text with every number masked, so that a golden test holds form and wording.
inline std::string masked(const std::string& text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!digit(i)) {
      out += text[i++];
      continue;
    }
    while (digit(i)) ++i;
    if (i < text.size() && text[i] == '.' && digit(i + 1))
      for (++i; digit(i);) ++i;
    out += '#';
  }
  return out;
}

}  // namespace plumb::test
