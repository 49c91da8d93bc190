// SPDX-License-Identifier: Apache-2.0
#include "report/html/document.h"

#include <fmt/format.h>

#include "report/html/sections.h"
#include "support.h"

namespace plumb::report::html {
namespace {

using test::message_of;

Finding finding(const std::string& name, double value, const std::string& unit = "B/cycle",
                const std::string& estimator = "steady") {
  return {.name = name,
          .value = value,
          .low = value - 0.5,
          .high = value + 0.5,
          .unit = unit,
          .estimator = estimator,
          .cases = {},
          .notes = {}};
}

Card card(std::vector<Finding> findings = {}) {
  Card c;
  c.label = "GPU 1";
  c.parts.push_back({});
  c.parts.front().provenance.gpu_name = "GPU";
  c.parts.front().provenance.backend = "cuda";
  c.findings = std::move(findings);
  return c;
}

/// What an HTML parser must not see inside a script element.
bool is_inert(const std::string& text) {
  return text.find_first_of("<>&") == std::string::npos && text.find("\xE2\x80\xA8") == std::string::npos &&
         text.find("\xE2\x80\xA9") == std::string::npos;
}

TEST(Inert, NothingThatHtmlReadsIsLeft) {
  const Json json{{"</script><script>alert(1)</script>", "<!-- & \xE2\x80\xA8 \xE2\x80\xA9 ]]>"}};
  const std::string text = inert(json);
  EXPECT_TRUE(is_inert(text)) << text;
  EXPECT_EQ(Json::parse(text), json);
}

TEST(Inert, BrokenUtf8IsReplacedAndNotThrown) {
  const std::string text = inert(Json("\xff cut \xE2\x80"));
  EXPECT_EQ(Json::parse(text), "\xEF\xBF\xBD cut \xEF\xBF\xBD");  // U+FFFD for each
}

PLUMB_PROPERTY(Inert, AnyTextComesBackUnchanged, [] {
  const auto ascii = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  const std::string text = inert(Json(ascii));
  RC_ASSERT(is_inert(text));
  RC_ASSERT(Json::parse(text).get<std::string>() == ascii);
});

TEST(Page, DataGoIntoTheirPlaceAndNowhereElse) {
  const std::string html = "<head></head><script type=\"application/json\" id=\"plumb-data\"></script><p>";
  EXPECT_EQ(page(html, Json("a<b")),
            "<head></head><script type=\"application/json\" id=\"plumb-data\">\"a\\u003cb\"</script><p>");
  EXPECT_NE(message_of([] { (void)page("<html></html>", Json()); }).find("no place for data"),
            std::string::npos);
}

TEST(Document, WithoutFindingsEverySectionNamesTheCommandThatMeasures) {
  const std::vector cards{card()};
  const Json d = document(cards);
  std::string said;
  for (const Json& s : d["sections"])
    for (const Json& b : s["blocks"])
      if (b["kind"] == "missing") said += b["text"].get<std::string>() + "\n";
  for (const char* command :
       {"plumb run 'topology/*'", "plumb run 'dsm/*'", "plumb run 'copy/*'", "plumb run 'mma/*'"})
    EXPECT_NE(said.find(command), std::string::npos) << command;
}

TEST(Document, AStrangersNamesAreDataAndNothingElse) {
  Card c = card();
  const std::string hostile = "</script><img src=x onerror=alert(1)>";
  Provenance& p = c.parts.front().provenance;
  p.gpu_name = p.command_line = p.driver_version = hostile;
  c.parts.front().flags.push_back(hostile);
  c.parts.front().warnings.push_back(hostile);
  const std::vector cards{c};
  const Json d = document(cards);
  EXPECT_TRUE(is_inert(inert(d)));
  EXPECT_EQ(d["title"], hostile);
  EXPECT_EQ(d["warnings"][0], hostile);
}

TEST(Minute, ReadsLoseMoreThanWritesAndSaysWhy) {
  const Card c = card(
      {finding("dsm/pair/put/one-way/rate", 21.32), finding("dsm/pair/put/one-way/intercept", 287, "cycles"),
       finding("dsm/pair/load/two-way/16x1/rate", 17.07), finding("dsm/pair/put/two-way/rate", 20.38)});
  const Section s = minute_section(c, Lookup(c.findings));
  const Json& items = s.blocks[0]["items"];
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0]["share"], "66.6 % of a 32-byte lane");  // 21.32 / 32
  EXPECT_NE(items[0]["advice"].get<std::string>().find("1,055 cycles, 287"), std::string::npos)
      << items[0]["advice"];                                   // 287 + 16384 / 21.32
  EXPECT_EQ(items[1]["share"], "80.0 % of the one-way rate");  // 17.07 / 21.33
  EXPECT_NE(items[1]["advice"].get<std::string>().find("Reads lose more than writes"), std::string::npos);
  EXPECT_EQ(items[2]["low"], "19.9");  // an interval of 1 says no more
}

TEST(Floor, SliderSaysWhatTheRuleSays) {
  Card c = card();
  topology::Map map{.tpcs = {}, .gpcs = 1, .sms = 20, .methods = {}, .agreements = {}};
  for (int t = 0; t < 10; ++t) {
    topology::Seat seat;
    seat.sms = {2 * t, 2 * t + 1};
    seat.gpc = 0;
    seat.lone = t == 9;
    map.tpcs.push_back(seat);
  }
  c.map = map;
  const Section s = floor_section(c, Lookup(c.findings));
  const Json& fits = s.blocks[0]["fits"];
  // 18 SMs hold two clusters of 8 and leave 2; the lone TPC holds none and leaves 2.
  EXPECT_EQ(fits[7]["clusters"], 2);
  EXPECT_EQ(fits[7]["idle"], 4);
  EXPECT_EQ(fits[7]["sms"], (Json{18, 19, 16, 17}));
  EXPECT_EQ(fits[1]["idle"], 0);
  EXPECT_NE(s.takeaway.find("Clusters of 8 leave 4 SMs idle, clusters of 16 leave 4."), std::string::npos)
      << s.takeaway;
}

TEST(Copy, DotsLinesKneesAndCeilingsOfOneChart) {
  const auto f = [](const std::string& what, double value, const std::string& unit) {
    return finding("copy/" + what, value, unit, "median");
  };
  Card c =
      card({f("ldgsts/rate/dram/16/128/4/2/rate", 2000, "GB/s"),
            f("tma/rate/tma/dram/32x8/2/4/rate", 1000, "GB/s"), f("compare/dram/rate/tma/32", 4000, "GB/s"),
            f("tma/model/dram/knee-95", 30, "KiB"), f("tma/model/dram/ceiling-sm", 32, "GB/s"),
            f("ceilings/dram/read/chip/rate", 4200, "GB/s"), f("compare/dram/wave/crossing/1", 12, "KiB")});
  c.parts.front().provenance.sm_count = 132;
  c.experiments.push_back({.name = "copy/compare", .question = {}, .cases = {}, .analyze = {}});
  const Section s = copy_section(c, Lookup(c.findings));
  const Json& rows = s.blocks[0]["rows"];
  const auto row = [&](const char* part, const char* path) {
    for (const Json& r : rows)
      if (r["part"] == part && r["path"] == path) return r;
    return Json();
  };
  EXPECT_EQ(row("point", "ldgsts")["KiB"], 16.0);  // 16 bytes, 128 threads, 4 stages, 2 CTAs
  EXPECT_EQ(row("point", "tma")["KiB"], 8.0);      // 32 x 8 elements of 4 bytes, 2 warps, 4 stages
  EXPECT_EQ(row("envelope", "tma")["KiB"], 32.0);
  EXPECT_NEAR(row("knee", "tma")["value"].get<double>(), 0.95 * 32 * 132, 1e-9);  // of 132 SMs
  EXPECT_EQ(row("ceiling", "plain loads")["value"], 4200.0);
  EXPECT_NE(s.takeaway.find("30 KiB per SM"), std::string::npos) << s.takeaway;
  EXPECT_EQ(s.blocks[1]["rows"][0]["value"], 12.0);
}

TEST(Mma, NamesOfFindingsBecomeBarsAndLines) {
  const auto f = [](const std::string& what, double value, const std::string& unit) {
    return finding("mma/" + what, value, unit, "median");
  };
  Card c = card({f("throughput/wgmma/bf16.f32/ss/m64/n128/2g/f64/rate", 4068, "FLOP/cycle/SM"),
                 f("throughput/wgmma/bf16.f32/ss/m64/n128/2g/f64/peak", 99.3, "%"),
                 f("throughput/wgmma/bf16.f32/ss/m64/n8/2g/f64/rate", 512, "FLOP/cycle/SM"),
                 f("throughput/wgmma/bf16.f32/ss/m64/n8/2g/f64/peak", 12.5, "%"),
                 f("throughput/wgmma/bf16.f32/ss/sparse/m64/n256/2g/f64/rate", 8100, "FLOP/cycle/SM"),
                 f("throughput/wgmma/bf16.f32/ss/sparse/m64/n256/2g/f64/peak", 98.9, "%"),
                 f("shape/wgmma/ss/m64/2g/ridge", 64, "columns")});
  c.experiments.push_back({.name = "mma/throughput", .question = {}, .cases = {}, .analyze = {}});
  const Section s = mma_section(c, Lookup(c.findings));
  EXPECT_NE(s.takeaway.find("limited by it up to N = 56"), std::string::npos) << s.takeaway;
  const Json& rows = s.blocks[0]["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["format"], "bf16.f32");
  EXPECT_EQ(rows[0]["value"], 4068.0);
  EXPECT_EQ(rows[0]["best"], "m64n128 SS, 2 groups");
  EXPECT_EQ(rows[1]["format"], "bf16.f32 sparse");
}

TEST(Lookup, SteadyIsTheOneToShowAndNumbersAreInOrder) {
  const std::vector<Finding> f{finding("a/10/rate", 1, "B/cycle", "published"), finding("a/10/rate", 2),
                               finding("a/9/rate", 3), finding("b", 4)};
  const Lookup found(f);
  EXPECT_EQ(found.find("a/10/rate")->value, 2);
  EXPECT_EQ(found.find("c"), nullptr);
  const auto under = found.under("a/");
  ASSERT_EQ(under.size(), 2U);
  EXPECT_EQ(under[0]->name, "a/9/rate");
}

Part part(const std::string& hash, std::vector<std::string> experiments) {
  Part p;
  p.provenance.gpu_name = "GPU";
  p.provenance.gpu_uuid_hash = hash;
  for (const std::string& e : experiments) p.measurements[e] = {};
  return p;
}

record::Recording recording(const std::string& hash, const std::vector<std::string>& experiments) {
  record::Recording r{.provenance = part(hash, {}).provenance, .measurements = {}, .warnings = {}};
  for (const std::string& e : experiments)
    r.measurements.push_back(
        {.point = {.experiment = e, .axes = {}, .work = Traffic{}}, .samples = {}, .conditions = {}});
  return r;
}

TEST(Cards, SubjectsOfOneKindMakeOneCardAndSiblingsDoNot) {
  EXPECT_EQ(cards_of({recording("1", {"dsm/pair", "dsm/mixed", "dsm/latency"}),
                      recording("2", {"topology/gpc", "topology/fit", "dsm/latency"})},
                     {})
                .size(),
            1U);
  EXPECT_EQ(
      cards_of({recording("1", {"dsm/pair", "dsm/mixed"}), recording("2", {"dsm/pair", "dsm/mixed"})}, {})
          .size(),
      2U);
  const auto fleet = cards_of({recording("1", {"dsm/pair"}), recording("2", {"dsm/pair"}),
                               recording("2", {"topology/gpc"}), recording("1", {"topology/gpc"})},
                              {});
  ASSERT_EQ(fleet.size(), 2U);
  EXPECT_EQ(fleet[0].parts[1].provenance.gpu_uuid_hash, "1");
  EXPECT_EQ(fleet[1].parts[1].provenance.gpu_uuid_hash, "2");
}

}  // namespace
}  // namespace plumb::report::html
