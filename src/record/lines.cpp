// SPDX-License-Identifier: Apache-2.0
#include "record/lines.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "plumb/core/error.h"

namespace plumb::record {
namespace {

constexpr int kLevel = 12;

bool compressed(const std::filesystem::path& path) { return path.extension() == ".zst"; }

std::string read_all(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path))
    throw Error(Fault::caller, fmt::format("{}: this is a folder; give a recording.", path.string()));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(Fault::caller, fmt::format("{}: {}.", path.string(), std::strerror(errno)));
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Text {
  std::string text;
  bool cut = false;
};

Text decompress(const std::string& bytes, const std::filesystem::path& path) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  Text out;
  std::vector<char> buffer(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t hint = 0;
  while (in.pos < in.size) {
    ZSTD_outBuffer chunk{buffer.data(), buffer.size(), 0};
    hint = ZSTD_decompressStream(context.get(), &chunk, &in);
    if (ZSTD_isError(hint) != 0) {
      throw Error(
          Fault::caller,
          fmt::format("{}: the compressed data is damaged ({}) after {} lines; the file cannot be used.",
                      path.string(), ZSTD_getErrorName(hint),
                      std::count(out.text.begin(), out.text.end(), '\n')));
    }
    out.text.append(buffer.data(), chunk.pos);
    if (in.pos < in.size || chunk.pos < chunk.size) continue;
    // The input is used up and the output buffer was full: the rest of the output is still inside.
    do {
      chunk.pos = 0;
      hint = ZSTD_decompressStream(context.get(), &chunk, &in);
      if (ZSTD_isError(hint) != 0) break;
      out.text.append(buffer.data(), chunk.pos);
    } while (chunk.pos == chunk.size);
  }
  out.cut = hint != 0;
  return out;
}

}  // namespace

Lines read_lines(const std::filesystem::path& path) {
  Text all{.text = read_all(path)};
  if (compressed(path)) all = decompress(all.text, path);
  Lines lines{.complete = {}, .rest = {}, .cut = all.cut};
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = all.text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.complete.push_back(all.text.substr(begin, end - begin));
  lines.rest = all.text.substr(begin);
  return lines;
}

class LineWriter::Sink {
 public:
  explicit Sink(const std::filesystem::path& path)
      : path_(path.string()), file_(std::fopen(path_.c_str(), "wb"), &std::fclose) {
    if (!file_) throw Error(Fault::caller, fmt::format("{}: {}.", path_, std::strerror(errno)));
    if (!compressed(path)) return;
    context_.reset(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    // A stream without its end mark is still read to its last line, so nothing is lost where this fails.
    try {
      if (context_) compress({}, ZSTD_e_end);
    } catch (const Error&) {
      (void)std::fflush(file_.get());
    }
  }

  void write(std::string_view line) {
    const std::string whole = std::string(line) + '\n';
    context_ ? compress(whole, ZSTD_e_flush) : put(whole);
  }

 private:
  void compress(std::string_view text, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    std::string bytes;
    std::array<char, 1 << 14> buffer{};
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0)
        throw Error(Fault::device, fmt::format("{}: zstd failed: {}.", path_, ZSTD_getErrorName(left)));
      bytes.append(buffer.data(), out.pos);
    }
    put(bytes);
  }

  void put(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() ||
        std::fflush(file_.get()) != 0) {
      throw Error(Fault::device,
                  fmt::format("{}: {}; make room and go on with --resume.", path_, std::strerror(errno)));
    }
  }

  std::string path_;
  std::unique_ptr<std::FILE, decltype(&std::fclose)> file_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_{nullptr, &ZSTD_freeCCtx};
};

LineWriter::LineWriter(const std::filesystem::path& path) : sink_(std::make_unique<Sink>(path)) {}
LineWriter::LineWriter(LineWriter&&) noexcept = default;
LineWriter& LineWriter::operator=(LineWriter&&) noexcept = default;
LineWriter::~LineWriter() = default;

void LineWriter::write(std::string_view line) { sink_->write(line); }

}  // namespace plumb::record
