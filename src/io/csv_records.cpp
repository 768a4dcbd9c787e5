#include "io/csv_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ricochet {

Expected<CsvRecords> CsvRecords::open(const std::string& path, bool open_end) {
  CsvRecords out;
  out.path_ = path;
  out.open_end_ = open_end;
  out.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (out.fd_ < 0)
    return fail(ErrorCode::file_access, path, "", fmt::format("cannot be read: {}", std::strerror(errno)));
  return out;
}

CsvRecords::CsvRecords(CsvRecords&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      open_end_(other.open_end_),
      buffer_(std::move(other.buffer_)),
      at_(other.at_),
      number_(other.number_),
      fields_(std::move(other.fields_)) {}

CsvRecords::~CsvRecords() {
  if (fd_ >= 0) close(fd_);
}

tl::unexpected<Error> CsvRecords::wrong(const std::string& allowed) const {
  return fail(ErrorCode::malformed, path_, "", fmt::format("record {}: {}", number_, allowed));
}

/// The next byte, or −1 at the end.
Expected<int> CsvRecords::get() {
  if (at_ == buffer_.size()) {
    buffer_.resize(std::size_t{1} << 16U);
    ssize_t n = 0;
    do {
      n = ::read(fd_, buffer_.data(), buffer_.size());
    } while (n < 0 && errno == EINTR);
    if (n < 0) return fail(ErrorCode::file_access, path_, "", fmt::format("cannot be read: {}", std::strerror(errno)));
    buffer_.resize(static_cast<std::size_t>(n));
    at_ = 0;
    if (n == 0) return -1;
  }
  return static_cast<unsigned char>(buffer_[at_++]);
}

Expected<std::optional<std::span<const std::string>>> CsvRecords::next() {
  using Record = std::optional<std::span<const std::string>>;
  std::size_t count = 0;
  const auto field = [&]() -> std::string& {
    if (count == fields_.size()) fields_.emplace_back();
    return fields_[count];
  };
  field().clear();
  bool quoted = false, closed = false, any = false;  // closed: a quote has just closed
  for (;;) {
    const auto byte = get();
    if (!byte) return tl::unexpected(byte.error());
    if (*byte < 0) {
      if (!any) return Record();
      if (quoted || !open_end_) return wrong("has no end");
      return Record(std::span<const std::string>(fields_.data(), count + 1));
    }
    if (!any) ++number_;
    any = true;
    const char c = static_cast<char>(*byte);
    if (c == '"') {
      // A doubled quote closes and opens again, and stands for one.
      if (closed) field().push_back(c);
      closed = quoted;
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      ++count;
      field().clear();
      closed = false;
    } else if (!quoted && c == '\n') {
      return Record(std::span<const std::string>(fields_.data(), count + 1));
    } else {
      field().push_back(c);
    }
  }
}

}  // namespace ricochet
