#include "explore/page_server.hpp"

#include <httplib.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

namespace ricochet::app {

struct PageFile {
  std::string type;
  std::string plain;
  std::string packed;  ///< gzip; empty if not smaller
};
namespace {

std::string type_of(const std::filesystem::path& path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> types{
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".mjs", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".wasm", "application/wasm"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".json", "application/json"}}};
  const std::string extension = path.extension().string();
  for (const auto& [ending, type] : types)
    if (extension == ending) return std::string(type);
  return "application/octet-stream";
}

/// Empty if zlib fails; the file is then sent uncompressed.
std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  std::string in = text;  // zlib takes no const
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END || out.size() >= text.size()) out.clear();
  return out;
}

/// The page loads its own files, compiles its WebAssembly, and shows pictures that it made; nothing else. Inline
/// scripts and styles are refused.
constexpr const char* content_policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*";

/// Whether a Host header names this machine's loopback, with any port: a tunnel may end at another one. A site whose
/// name was made to resolve to 127.0.0.1 (DNS rebinding) sends its own name.
bool is_loopback(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty()) return true;
    return rest.size() > 1 && rest.front() == ':' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  }
  return false;
}

}  // namespace

struct PageServer::State {
  std::map<std::string, PageFile> files;  ///< by the path that is asked for
  httplib::Server server;
  std::thread thread;
  std::atomic<bool> ended = false;
};

PageServer::PageServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageServer::PageServer(PageServer&&) noexcept = default;
PageServer& PageServer::operator=(PageServer&&) noexcept = default;
PageServer::~PageServer() {
  if (state_) stop();
}

Expected<PageServer> PageServer::open(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  auto state = std::make_unique<State>();
  std::error_code problem;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    if (!at->is_regular_file(problem)) continue;
    std::ifstream stream(at->path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) return fail(ErrorCode::file_access, "page", at->path().string(), "cannot be read");
    std::string packed = gzip(text);
    std::string name = at->path().lexically_relative(folder).generic_string();
    name.insert(name.begin(), '/');
    state->files[std::move(name)] = PageFile{type_of(at->path()), std::move(text), std::move(packed)};
  }
  const auto index = state->files.find("/index.html");
  if (index == state->files.end())
    return fail(ErrorCode::file_access, "page", folder.string(),
                "holds no index.html; `./run explore` builds the page");
  state->files["/"] = index->second;

  state->server.set_default_headers({{"Content-Security-Policy", content_policy},
                                     {"X-Content-Type-Options", "nosniff"},
                                     {"Referrer-Policy", "no-referrer"},
                                     {"Cross-Origin-Resource-Policy", "same-origin"}});
  state->server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (request.get_header_value_count("Host") == 1 && is_loopback(request.get_header_value("Host")))
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 421;
    response.set_content("this server answers to 127.0.0.1 and localhost only\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  const State& known = *state;
  state->server.Get(".*", [&known](const httplib::Request& request, httplib::Response& response) {
    const auto found = known.files.find(request.path);
    if (found == known.files.end()) {
      response.status = 404;
      response.set_content("there is no such file\n", "text/plain");
      return;
    }
    const PageFile& file = found->second;
    const bool packed =
        !file.packed.empty() && request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    response.set_header("Cache-Control", "no-cache");
    if (packed) response.set_header("Content-Encoding", "gzip");
    const std::string& body = packed ? file.packed : file.plain;
    // By a content provider: plain content would be compressed again.
    response.set_content_provider(body.size(), file.type,
                                  [&body](std::size_t from, std::size_t length, httplib::DataSink& sink) {
                                    return sink.write(body.data() + from, length);
                                  });
  });
  return PageServer(std::move(state));
}

void PageServer::add(const std::string& name, std::string text) {
  std::string packed = gzip(text);
  state_->files["/" + name] = PageFile{type_of(name), std::move(text), std::move(packed)};
}

Expected<int> PageServer::start(int port) {
  constexpr const char* loopback = "127.0.0.1";
  // The library would share a port that is in use, and each server would receive some of the requests.
  state_->server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (port == 0) {
    port = state_->server.bind_to_any_port(loopback);
    if (port <= 0) return fail(ErrorCode::unavailable, "--port", "0", "no port is free on the loopback address");
  } else if (!state_->server.bind_to_port(loopback, port)) {
    return fail(ErrorCode::unavailable, "--port", std::to_string(port), "cannot be opened: it may be in use");
  }
  State* state = state_.get();
  state->thread = std::thread([state] {
    state->server.listen_after_bind();
    state->ended = true;
  });
  // Stopping a server before it runs would have no effect.
  while (!state->server.is_running() && !state->ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return port;
}

void PageServer::stop() {
  state_->server.stop();
  if (state_->thread.joinable()) state_->thread.join();
}

}  // namespace ricochet::app
