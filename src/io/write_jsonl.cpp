#include "ricochet/io/collision_derivatives.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/io/writer.hpp"

namespace ricochet {
namespace {

void append_vector(fmt::memory_buffer& out, const Vec3& v) {
  out.push_back('[');
  append_json_number(out, v.x());
  out.push_back(',');
  append_json_number(out, v.y());
  out.push_back(',');
  append_json_number(out, v.z());
  out.push_back(']');
}

/// Written key by key instead of through a document, because formatting dominates the cost of a stream.
class JsonlWriter : public Writer {
 public:
  explicit JsonlWriter(const Source& source) : every_law_(source.every_law) {}

  void collision(fmt::memory_buffer& out, long long, const Collision& collision,
                 std::span<const Answer> answers) override {
    for (const Answer& answer : answers) {
      out.push_back('{');
      if (every_law_) {
        append(out, R"("law":)");
        append_json_string(out, answer.law);
        out.push_back(',');
      }
      append_id(out, collision);
      if (answer.outcome) {
        append_outcome(out, *answer.outcome);
        if (answer.derivatives != nullptr) append_derivatives(out, *answer.derivatives);
      } else {
        append_error(out, answer.outcome.error());
      }
      append(out, "}\n");
    }
  }

  void fault(fmt::memory_buffer& out, long long, const Collision& collision, const Error& error) override {
    out.push_back('{');
    append_id(out, collision);
    append_error(out, error);
    append(out, "}\n");
  }

 private:
  static void append_id(fmt::memory_buffer& out, const Collision& collision) {
    if (collision.id.empty()) return;
    append(out, R"("id":)");
    append(out, collision.id);
    out.push_back(',');
  }

  static void append_error(fmt::memory_buffer& out, const Error& error) {
    append(out, R"("error":)");
    append_json(out, error);
  }

  static void append_outcome(fmt::memory_buffer& out, const Outcome& o) {
    append(out, R"("P":)");
    append_vector(out, o.P);
    append(out, R"(,"V":)");
    append_vector(out, o.V);
    const auto number = [&](std::string_view key, double x) {
      append(out, key);
      append_json_number(out, x);
    };
    number(R"(,"energy_change":)", o.energy_change);
    number(R"(,"normal_work":)", o.normal_work);
    number(R"(,"friction_work":)", o.friction_work);
    append(out, R"(,"mode":")");
    append(out, name(o.mode));
    append(out, o.certificate.permissible ? R"(","permissible":true)" : R"(","permissible":false)");
    const Margins& m = o.certificate.margins;
    number(R"(,"margins":{"energy":)", m.energy);
    number(R"(,"separation":)", m.separation);
    number(R"(,"compression":)", m.compression);
    number(R"(,"friction":)", m.friction);
    append(out, R"(},"why":")");
    append(out, describe(o.termination));
    out.push_back('"');
  }

  static void append_derivatives(fmt::memory_buffer& out, const DerivativeAnswer& derivatives) {
    const std::string text = to_json(derivatives).dump();
    if (text.size() <= 2) return;
    out.push_back(',');
    append(out, std::string_view(text).substr(1, text.size() - 2));
  }

  bool every_law_;
};

}  // namespace

std::unique_ptr<Writer> make_jsonl_writer(const Source& source) { return std::make_unique<JsonlWriter>(source); }

}  // namespace ricochet
