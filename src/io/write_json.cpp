#include "ricochet/io/json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/io/writer.hpp"

namespace ricochet {
namespace {

/// One document for one collision; an array of them, written as it goes, for a stream.
class JsonWriter : public Writer {
 public:
  explicit JsonWriter(const Source& source) : source_(source) {}

  void begin(fmt::memory_buffer& out) override {
    if (source_.many) append(out, "[");
  }

  void collision(fmt::memory_buffer& out, long long line, const Collision& collision,
                 std::span<const Answer> answers) override {
    Json document = head(line);
    document.update(to_json(collision, answers));
    item(out, document);
  }

  void fault(fmt::memory_buffer& out, long long line, const Collision& collision, const Error& error) override {
    Json document = head(line);
    if (!collision.id.empty()) document["id"] = Json::parse(collision.id, nullptr, false);
    document["error"] = to_json(error);
    item(out, document);
  }

  void end(fmt::memory_buffer& out) override {
    if (source_.many) append(out, "\n]\n");
  }

 private:
  [[nodiscard]] Json head(long long line) const {
    Json out{{"source", source_.name}};
    if (source_.many) out["line"] = line;
    return out;
  }

  void item(fmt::memory_buffer& out, const Json& document) {
    if (source_.many) append(out, first_ ? "\n  " : ",\n  ");
    first_ = false;
    append(out, pretty(document, source_.many ? 2 : 0));
    if (!source_.many) append(out, "\n");
  }

  Source source_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const Source& source) { return std::make_unique<JsonWriter>(source); }

}  // namespace ricochet
