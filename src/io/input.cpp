#include "ricochet/io/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ricochet {
namespace {

constexpr std::size_t chunk = 1 << 16;

}  // namespace

Expected<Input> Input::open(const std::string& path) {
  Input input;
  if (path == "-") {
    input.fd_ = STDIN_FILENO;
    input.name_ = "standard input";
  } else {
    input.name_ = path;
    input.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (input.fd_ < 0)
      return fail(ErrorCode::file_access, "", "", std::string("cannot be opened: ") + std::strerror(errno));
  }
  struct stat status {};
  if (fstat(input.fd_, &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return fail(ErrorCode::file_access, "", "", "is a directory; a file of one or more collisions is needed");
    if (S_ISREG(status.st_mode)) input.size_ = status.st_size;
  }
  return input;
}

Input::Input(Input&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      size_(other.size_),
      consumed_(other.consumed_),
      buffer_(std::move(other.buffer_)),
      at_(other.at_) {}

Input::~Input() {
  if (fd_ > STDERR_FILENO) close(fd_);
}

Expected<bool> Input::fill() {
  buffer_.erase(0, std::exchange(at_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + chunk);
  ssize_t n = 0;
  do {
    n = read(fd_, buffer_.data() + before, chunk);
  } while (n < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(n > 0 ? n : 0));
  if (n < 0) return fail(ErrorCode::file_access, "", "", std::string("cannot be read: ") + std::strerror(errno));
  return n > 0;
}

bool Input::would_wait() const {
  pollfd wanted{fd_, POLLIN, 0};
  return poll(&wanted, 1, 0) == 0;
}

Expected<std::string_view> Input::peek_line() {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  while (true) {
    const std::string_view view = std::string_view(buffer_).substr(at_);
    const std::string_view text = view.starts_with(byte_order_mark) ? view.substr(byte_order_mark.size()) : view;
    const auto begin = text.find_first_not_of(" \t\r\n");
    const auto end = begin == std::string_view::npos ? begin : text.find('\n', begin);
    if (end != std::string_view::npos) return text.substr(begin, end - begin);
    const std::string_view so_far = begin == std::string_view::npos ? std::string_view() : text.substr(begin);
    // Neither megabytes of blanks nor a line of megabytes is a valid collision; do not buffer them.
    if (buffer_.size() - at_ > longest_line) return so_far;
    const Expected<bool> more = fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return std::string_view(buffer_).substr(buffer_.size() - so_far.size());
  }
}

Expected<std::optional<Input::Line>> Input::next_line(const std::function<void()>& before_waiting) {
  bool too_long = false;
  std::size_t searched = at_;
  while (true) {
    const auto end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      Line line{std::string_view(buffer_).substr(at_, end - at_), too_long};
      consumed_ += static_cast<long long>(end + 1 - at_);
      at_ = end + 1;
      if (line.text.size() > longest_line) line.too_long = true;
      if (line.too_long) line.text = line.text.substr(0, 80);
      return line;
    }
    if (buffer_.size() - at_ > longest_line) {
      // Keep the beginning for the message and discard the rest.
      too_long = true;
      const std::size_t keep = 80;
      consumed_ += static_cast<long long>(buffer_.size() - at_ - keep);
      buffer_.resize(at_ + keep);
    }
    searched = buffer_.size() - at_;
    if (before_waiting && would_wait()) before_waiting();
    const Expected<bool> more = fill();
    if (!more) return tl::unexpected(more.error());
    if (*more) continue;
    if (buffer_.empty()) return std::nullopt;
    const Line line{std::string_view(buffer_), too_long};
    consumed_ += static_cast<long long>(buffer_.size());
    at_ = buffer_.size();
    return line;
  }
}

Expected<std::string> Input::rest(std::size_t limit) {
  while (buffer_.size() - at_ <= limit) {
    const Expected<bool> more = fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) {
      consumed_ += static_cast<long long>(buffer_.size() - at_);
      at_ = 0;
      return std::move(buffer_);
    }
  }
  return fail(ErrorCode::malformed, "", "",
              "is longer than " + std::to_string(limit) + " bytes, too much for one collision in TOML");
}

}  // namespace ricochet
