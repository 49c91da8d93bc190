// SPDX-License-Identifier: Apache-2.0
#include "record/recording.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "generators.h"
#include "support.h"

namespace plumb::record {
namespace {

using test::any_measurement;
using test::any_provenance;
using test::message_of;
namespace fs = std::filesystem;

/// A file in a folder of its own, gone at the end.
class TempFile {
 public:
  explicit TempFile(const std::string& name)
      : folder_(fs::temp_directory_path() / ("plumb-record-" + std::to_string(getpid()))),
        path_(folder_ / name) {
    fs::create_directories(folder_);
    fs::remove(path_);
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { fs::remove_all(folder_); }

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  /// The message for this content, with the path taken out.
  [[nodiscard]] std::string refusal(const std::string& bytes) const {
    put(bytes);
    std::string message = message_of([&] { (void)read(path_); });
    if (const auto at = message.find(path_.string()); at != std::string::npos)
      message.replace(at, path_.string().size(), "FILE");
    return message;
  }

 private:
  fs::path folder_;
  fs::path path_;
};

constexpr const char* kHeader =
    R"({"plumb":"recording","schema":1,"backend":"cuda","tool_version":"0.1.0","tool_commit":"","command_line":"plumb run","date":"2026-01-01T00:00:00Z","seed":1,"gpu_name":"NVIDIA H200","gpu_uuid_hash":"","compute_capability":"9.0","sm_count":132,"driver_version":"580","cuda_version":"13.0","clocks_MHz":{"sm":1980.0},"ecc":"on"})";
constexpr const char* kCase =
    R"({"case":{"experiment":"dsm/pair","axes":{"op":"put","bytes":16384},"samples":2,"traffic":{"ranks":2,"flows":[{"source":0,"destination":1,"op":"put","bytes":16384}]}},"columns":{"start_cycles":[[0,100]]},"readings":{},"flags":[]})";

std::string text(std::initializer_list<std::string> lines) {
  std::string all;
  for (const auto& line : lines) all += line + "\n";
  return all;
}

Recording example() {
  Recording r;
  r.provenance.gpu_name = "NVIDIA H200";
  r.provenance.seed = 7;
  for (int i = 0; i < 3; ++i) {
    Measurement m;
    m.point = {.experiment = "dsm/pair",
               .axes = {{"bytes", std::int64_t{16384}}, {"op", "load"}},
               .work = Traffic{.ranks = 2, .flows = {{.op = Op::load, .bytes = 16384}}},
               .samples = 2};
    m.samples["start_cycles"] = {{i, 100 + i}};
    m.conditions.readings["power_W"] = 123.5;
    r.measurements.push_back(m);
  }
  return r;
}

void write(const fs::path& path, const Recording& r) {
  Writer writer = Writer::create(path, r.provenance);
  for (const auto& m : r.measurements) writer.append(m);
}

TEST(Recording, HandWrittenLinesAreRead) {
  const TempFile file("hand.jsonl");
  file.put(text({kHeader, kCase}));
  const Recording r = read(file.path());
  EXPECT_EQ(r.provenance.gpu_name, "NVIDIA H200");
  EXPECT_EQ(r.provenance.sm_count, 132);
  EXPECT_EQ(r.provenance.clocks_mhz.at("sm"), 1980.0);
  ASSERT_EQ(r.measurements.size(), 1U);
  EXPECT_EQ(id_of(r.measurements[0].point), "dsm/pair bytes=16384 op=put");
  EXPECT_EQ(traffic_of(r.measurements[0].point).flows[0].command, 16384)
      << "a key that is not there has its default";
  EXPECT_EQ(r.measurements[0].samples.at("start_cycles"), (Column{{0, 100}}));
  EXPECT_TRUE(r.warnings.empty());
}

TEST(Recording, AnUnknownKeyIsPassedOver) {
  const TempFile file("unknown.jsonl");
  std::string header(kHeader);
  header.insert(header.size() - 1, R"(,"weather":"fine")");
  file.put(text({header, kCase}));
  EXPECT_EQ(read(file.path()).measurements.size(), 1U);
}

PLUMB_PROPERTY(Recording, WhatIsWrittenIsReadPlainAndCompressed, [] {
  Recording r{.provenance = any_provenance(), .measurements = {}, .warnings = {}};
  const int n = *rc::gen::inRange(0, 4);
  for (int i = 0; i < n; ++i) r.measurements.push_back(any_measurement());
  for (const char* name : {"w.jsonl", "w.jsonl.zst"}) {
    const TempFile file(name);
    write(file.path(), r);
    RC_ASSERT(read(file.path()) == r);
  }
});

TEST(Recording, ACutAtAnyByteCostsNoLineBeforeIt) {
  const Recording whole = example();
  const TempFile file("cut.jsonl");
  write(file.path(), whole);
  const std::string bytes = file.bytes();
  const std::size_t header = bytes.find('\n');
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    file.put(bytes.substr(0, size));
    if (size < header) {
      EXPECT_THROW((void)read(file.path()), Error) << size;
      continue;
    }
    const Recording part = read(file.path());
    // A line that lacks only its line end is whole.
    const auto lines = static_cast<std::size_t>(
        std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size + 1), '\n'));
    const std::size_t cases = lines - 1;
    ASSERT_EQ(part.measurements.size(), cases) << size;
    for (std::size_t i = 0; i < cases; ++i) EXPECT_EQ(part.measurements[i], whole.measurements[i]);
    const bool partial_line = bytes[size] != '\n' && bytes[size - 1] != '\n';
    EXPECT_EQ(part.warnings.size(), partial_line ? 1U : 0U) << size;
  }
}

TEST(Recording, ACompressedFileCutAtAnyByteGivesThePrefixOrAnError) {
  const Recording whole = example();
  const TempFile file("cut.jsonl.zst");
  write(file.path(), whole);
  const std::string bytes = file.bytes();
  std::size_t most = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    file.put(bytes.substr(0, size));
    try {
      const Recording part = read(file.path());
      EXPECT_EQ(part.warnings.size(), 1U) << "the end mark is missing";
      ASSERT_LE(part.measurements.size(), whole.measurements.size());
      for (std::size_t i = 0; i < part.measurements.size(); ++i)
        EXPECT_EQ(part.measurements[i], whole.measurements[i]);
      EXPECT_GE(part.measurements.size(), most) << "more bytes never give less";
      most = part.measurements.size();
    } catch (const Error&) {
      EXPECT_EQ(most, 0U) << "once a case can be read, a longer prefix can too";
    }
  }
  EXPECT_EQ(most, whole.measurements.size()) << "each line was flushed as a whole";
}

TEST(Recording, TheWarningNamesTheLineAndTheRemedy) {
  const TempFile file("warn.jsonl");
  file.put(text({kHeader, kCase}) + R"({"case":{"exper)");
  EXPECT_EQ(read(file.path()).warnings.at(0),
            file.path().string() +
                ": line 3 was cut off and is left out; the case is measured again with --resume.");
}

TEST(Recording, ResumeKeepsWhatIsGoodAndGoesOn) {
  for (const char* name : {"resume.jsonl", "resume.jsonl.zst"}) {
    const Recording whole = example();
    const TempFile file(name);
    write(file.path(), whole);
    const std::string bytes = file.bytes();
    file.put(bytes.substr(0, bytes.size() - 3));
    {
      const Recording so_far = read(file.path());
      Writer writer = Writer::resume(file.path(), so_far);
      for (std::size_t i = so_far.measurements.size(); i < 3; ++i) writer.append(whole.measurements[i]);
    }
    EXPECT_EQ(read(file.path()), whole) << name;
  }
}

TEST(Recording, AnExistingFileIsNotOverwritten) {
  const TempFile file("there.jsonl");
  file.put("something");
  EXPECT_EQ(message_of([&] { (void)Writer::create(file.path(), {}); }),
            file.path().string() + " exists; go on with it by --resume, or choose another name with -o.");
}

TEST(Recording, EachKindOfDamageIsNamed) {
  const TempFile file("bad.jsonl");
  EXPECT_EQ(file.refusal(""), "FILE: the file is empty; it holds no recording.");
  EXPECT_EQ(file.refusal(R"({"plumb":"rec)"),
            "FILE: the header on line 1 is cut off; there is nothing to read.");
  EXPECT_EQ(file.refusal("hello\n"),
            "FILE: line 1 is not the header of a Plumb recording; such a file begins with "
            "{\"plumb\":\"recording\",\"schema\":1.");
  EXPECT_EQ(file.refusal(text({kHeader, "", kCase})),
            "FILE: line 2 is damaged: it is not a whole JSON object. Lines before it are good; cut the file "
            "there, or record again.");

  EXPECT_EQ(file.refusal(text({kHeader, kCase, kCase, "{}", kCase, "oops", "oops"}))
                .find("FILE: line 4 is damaged"),
            0U)
      << "of several the first is told, though lines are read on all cores";

  const auto damage = [&](std::string from, std::string to) {
    std::string line(kCase);
    line.replace(line.find(from), from.size(), to);
    const std::string message = file.refusal(text({kHeader, line}));
    const std::string start = "FILE: line 2 is damaged: ";
    EXPECT_EQ(message.substr(0, start.size()), start);
    return message.substr(start.size(), message.find(". Lines before") - start.size());
  };
  EXPECT_EQ(damage(R"("samples":2,)", ""), "'case.samples' is missing");
  EXPECT_EQ(damage(R"("samples":2)", R"("samples":0)"), "'case.samples' is 0 and must be at least 1");
  EXPECT_EQ(damage(R"([[0,100]])", R"([[0,"100"]])"),
            "'columns.start_cycles[0][1]' is \"100\" and must be an integer of 64 bits");
  EXPECT_EQ(damage(R"([[0,100]])", R"([[0,9223372036854775808]])"),
            "'columns.start_cycles[0][1]' is 9223372036854775808 and must be an integer of 64 bits");
  EXPECT_EQ(damage(R"([[0,100]])", "[7]"), "'columns.start_cycles[0]' is 7 and must be an array");
  EXPECT_EQ(damage(R"("op":"put","bytes":16384}]})", R"("op":"get","bytes":16384}]})"),
            "'case.traffic.flows[0].op': unknown operation 'get'; allowed are load, store, put.");
  EXPECT_EQ(damage(R"("flags":[])", R"("flags":{})"), "'flags' is {} and must be an array");
}

TEST(Recording, ANewerSchemaIsRefusedWithTheVersionThatReadsIt) {
  const TempFile file("newer.jsonl");
  EXPECT_EQ(file.refusal("{\"plumb\":\"recording\",\"schema\":9,\"tool_version\":\"4.2.0\"}\n"),
            "FILE: it has schema 9, written by Plumb 4.2.0; this is Plumb 0.1.0, which reads up to schema 1. "
            "Use Plumb 4.2.0 or newer.");
}

TEST(Recording, AMissingFileAndAFolderAreNamed) {
  EXPECT_EQ(message_of([] { (void)read("/nowhere/x.jsonl"); }),
            "/nowhere/x.jsonl: No such file or directory.");
  EXPECT_EQ(message_of([] { (void)read("/tmp"); }), "/tmp: this is a folder; give a recording.");
}

TEST(Recording, DamagedCompressedDataIsRefused) {
  const TempFile file("bad.jsonl.zst");
  write(file.path(), example());
  std::string bytes = file.bytes();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  EXPECT_NE(file.refusal(bytes).find("the compressed data is damaged"), std::string::npos);
}

}  // namespace
}  // namespace plumb::record
