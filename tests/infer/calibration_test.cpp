// SPDX-License-Identifier: Apache-2.0
#include "infer/calibration.h"

#include <unistd.h>

#include <filesystem>

#include "infer/planted.h"
#include "support.h"

namespace plumb::infer {
namespace {

using test::machine_with;
using test::recorded;

const Fitted& of(const Calibration& c, std::string_view name) {
  for (const Fitted& f : c.parameters)
    if (f.name == name) return f;
  throw std::runtime_error("no such parameter");
}

bool holds(const Fitted& f, int value) {
  return (!f.low || *f.low <= value) && (!f.high || value <= *f.high);
}

TEST(Calibration, PlantedParametersComeBackWithinTheirIntervals) {
  const auto truth = machine_with([](fabric::Parameters& p) {
    p.load_turnaround = 61;
    p.put_setup = 120;
    p.start_cycles = 190;
    p.ack_bytes = 512;
  });
  const auto cases = recorded(truth, 0.002, 7);
  const Calibration c =
      calibrate(cases, SimMachine{},
                {.free = {"load_turnaround", "put_setup", "start_cycles", "ack_bytes", "put_window"},
                 .evaluations = 120,
                 .memory = {},
                 .progress = {}});
  EXPECT_TRUE(holds(of(c, "load_turnaround"), 61)) << of(c, "load_turnaround").value;
  EXPECT_TRUE(holds(of(c, "put_setup"), 120)) << of(c, "put_setup").value;
  EXPECT_TRUE(holds(of(c, "start_cycles"), 190)) << of(c, "start_cycles").value;
  EXPECT_TRUE(holds(of(c, "ack_bytes"), 512)) << of(c, "ack_bytes").value;
  for (const char* name : {"load_turnaround", "put_setup", "start_cycles"}) {
    EXPECT_TRUE(of(c, name).identified()) << name;
    EXPECT_LT(*of(c, name).high - *of(c, name).low, 20) << name;
  }
  // No case has 32 KiB of puts in flight.
  EXPECT_FALSE(of(c, "put_window").low.has_value() && of(c, "put_window").high.has_value());
  EXPECT_GT(c.gain, 10);
  EXPECT_LT(c.model, 0.008);
}

TEST(Calibration, GoesOnWhereItWasInterrupted) {
  const auto cases = recorded(SimMachine{}, 0.005, 3);
  CalibrationOptions how{.free = {"load_turnaround"}, .evaluations = 12, .memory = {}, .progress = {}};
  const Calibration whole = calibrate(cases, SimMachine{}, how);
  how.memory = std::filesystem::temp_directory_path() / ("plumb-infer-" + std::to_string(getpid()));
  int evaluations = 0;
  how.progress = [&](int number, std::string_view) {
    if (number == 6 && evaluations < 6) throw Error(Fault::check, "interrupted");
    evaluations = number;
  };
  EXPECT_EQ(plumb::test::message_of([&] { (void)calibrate(cases, SimMachine{}, how); }, Fault::check),
            "interrupted");
  how.progress = {};
  const Calibration resumed = calibrate(cases, SimMachine{}, how);
  EXPECT_GT(resumed.remembered, 2);
  EXPECT_EQ(resumed.parameters[0].value, whole.parameters[0].value);
  EXPECT_EQ(resumed.parameters[0].low, whole.parameters[0].low);
  how.seed = 2;
  EXPECT_NE(plumb::test::message_of([&] {
              (void)calibrate(cases, SimMachine{}, how);
            }).find("it is not of this calibration"),
            std::string::npos);
  std::filesystem::remove(how.memory);
}

TEST(Calibration, OnlyWholeNumbersCanBeFree) {
  const auto said = [](const char* name) {
    return plumb::test::message_of(
        [&] { (void)calibrate({}, SimMachine{}, {.free = {name}, .memory = {}, .progress = {}}); });
  };
  EXPECT_EQ(said("shaper"),
            "free parameter shaper: it is no whole number; only whole numbers can be fitted.");
  EXPECT_EQ(said("depth"),
            "free parameter depth: there is none of that name; only whole numbers can be fitted.");
}

TEST(Split, HoldsOutWholeFamiliesEveryThird) {
  std::vector<ObservedCase> cases;
  for (const char* family : {"d", "a", "b", "c", "f", "e", "c"}) {
    cases.emplace_back();
    cases.back().family = family;
  }
  const Split s = split(cases);
  std::vector<std::string> held;
  for (const ObservedCase& c : s.held_out) held.push_back(c.family);
  EXPECT_EQ(held, (std::vector<std::string>{"c", "f", "c"}));
  EXPECT_EQ(s.training.size(), 4U);
}

}  // namespace
}  // namespace plumb::infer
