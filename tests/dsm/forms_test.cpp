// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dsm/experiments.h"
#include "support.h"

namespace plumb::dsm {
namespace {

/// What a machine would return whose SM takes `intercept` cycles and `rate` bytes in each further one.
Measurement planted(const Case& c, double intercept, double rate) {
  Measurement m{.point = c, .samples = {}, .conditions = {}};
  const auto& access = std::get<Access>(c.work);
  const auto cycles = static_cast<std::int64_t>(intercept + static_cast<double>(access.bytes) / rate);
  const std::vector<std::int64_t> zero(static_cast<std::size_t>(c.samples));
  for (const auto name : {column::start_cycles, column::start_ns, column::bad_bytes})
    m.samples[std::string(name)] = {zero};
  m.samples[std::string(column::stop_cycles)] = {std::vector<std::int64_t>(zero.size(), cycles)};
  m.samples[std::string(column::stop_ns)] = {std::vector<std::int64_t>(zero.size(), cycles / 2)};
  m.samples[std::string(column::smid)] = {zero, std::vector<std::int64_t>(zero.size(), 1)};
  return m;
}

std::vector<Measurement> measured(std::string_view form, std::string_view target, double rate) {
  std::vector<Measurement> out;
  for (const Case& c : forms().cases({}))
    if (axis(c, "form") == form && axis(c, "target") == target && axis(c, "pattern") == "coalesced" &&
        axis(c, "flight").empty())
      out.push_back(planted(c, 500, rate));
  return out;
}

const Finding& find(const std::vector<Finding>& all, std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.name == name; });
  if (it == all.end()) throw std::out_of_range(std::string(name));
  return *it;
}

TEST(Forms, APlantedRateComesBackWithItsShareAndTheCyclesOfAnInstruction) {
  const auto found = forms().analyze(measured("load", "peer", 16.0));
  EXPECT_NEAR(find(found, "dsm/forms/load/peer/coalesced/4/rate").value, 16.0, 0.01);
  EXPECT_NEAR(find(found, "dsm/forms/load/peer/coalesced/4/way-in").value, 75.0, 0.05);
  EXPECT_NEAR(find(found, "dsm/forms/load/peer/coalesced/4/instruction").value, 8.0, 0.01);
  EXPECT_NEAR(find(found, "dsm/forms/load/peer/coalesced/16/instruction").value, 32.0, 0.01);
  EXPECT_NEAR(find(found, "dsm/forms/load/peer/coalesced/4/intercept").value, 500.0, 2.0);
}

TEST(Forms, ALocalRateIsAShareOfThePort) {
  const auto found = forms().analyze(measured("store", "local", 64.0));
  EXPECT_NEAR(find(found, "dsm/forms/store/local/coalesced/8/port").value, 50.0, 0.05);
  EXPECT_THROW((void)find(found, "dsm/forms/store/local/coalesced/8/way-in"), std::out_of_range);
}

TEST(Forms, ABulkCopyHasNoWarpInstruction) {
  const auto found = forms().analyze(measured("bulk", "peer", 20.0));
  EXPECT_NEAR(find(found, "dsm/forms/bulk/peer/coalesced/4096/rate").value, 20.0, 0.01);
  EXPECT_THROW((void)find(found, "dsm/forms/bulk/peer/coalesced/4096/instruction"), std::out_of_range);
}

TEST(Forms, CasesWithoutSamplesGiveNoNumber) {
  auto measurements = measured("red", "own", 20.0);
  ASSERT_FALSE(measurements.empty());
  for (Measurement& m : measurements) m.samples.clear();
  EXPECT_TRUE(forms().analyze(measurements).empty());
}

TEST(Forms, EveryPatternOfTheQuestionIsThere) {
  std::vector<std::string> names;
  for (const Case& c : forms().cases({}))
    names.push_back(axis(c, "form") + "/" + axis(c, "target") + "/" + axis(c, "pattern"));
  for (const char* name :
       {"load/local/stride-32", "load/peer/stride-32", "load/peer/swizzled", "load/own/coalesced",
        "generic-load/peer/coalesced", "async-store/peer/coalesced", "async-red/own/coalesced",
        "red/local/broadcast", "bulk/own/coalesced", "store/peer/shuffled-4k"})
    EXPECT_TRUE(std::count(names.begin(), names.end(), name)) << name;
}

}  // namespace
}  // namespace plumb::dsm
