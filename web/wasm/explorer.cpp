/// Binds the documents of the explorer (docs/explorer.md) to JavaScript.

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "ricochet/report/explorer_documents.hpp"

namespace {

using ricochet::ExplorerDocuments;

ExplorerDocuments& documents() {
  static ExplorerDocuments one;
  return one;
}

/// A member function of the documents, as a function of texts and numbers.
template <auto Member, class... Arguments>
std::string call(Arguments... arguments) {
  return (documents().*Member)(arguments...);
}

/// A copy that the page owns.
template <class Number>
emscripten::val array_of(const Number* numbers, std::size_t count) {
  return emscripten::val(emscripten::typed_memory_view(count, numbers)).call<emscripten::val>("slice");
}

/// Thousands of numbers in every picture: as arrays, because writing and reading them would take longer than the laws.
emscripten::val region(std::string text) {
  const auto surface = documents().region(text);
  if (!surface) return emscripten::val::global("JSON").call<emscripten::val>("parse", surface.error());
  static_assert(sizeof(ricochet::Vec3) == 3 * sizeof(double));
  auto out = emscripten::val::object();
  out.set("bounded", surface->bounded);
  out.set("points", array_of(surface->points.front().data(), 3 * surface->points.size()));
  out.set("triangles", array_of(surface->triangles.data(), surface->triangles.size()));
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(explorer) {
  using std::string;
  emscripten::function("laws", &ExplorerDocuments::laws);
  emscripten::function("scenes", &ExplorerDocuments::scenes);
  emscripten::function("ticks", &ExplorerDocuments::ticks);
  emscripten::function("read", &call<&ExplorerDocuments::read, string>);
  emscripten::function("collide", &call<&ExplorerDocuments::collide, string>);
  emscripten::function("answers_file", &call<&ExplorerDocuments::answers_file, string>);
  emscripten::function("inspect", &call<&ExplorerDocuments::inspect, string>);
  emscripten::function("realize", &call<&ExplorerDocuments::realize, string>);
  emscripten::function("region", &region);
  emscripten::function("reach", &call<&ExplorerDocuments::reach, string, string>);
  emscripten::function("path", &call<&ExplorerDocuments::path, string, string>);
  emscripten::function("course", &call<&ExplorerDocuments::course, string, string>);
  emscripten::function("during", &call<&ExplorerDocuments::during, string, string, double, double, double, string>);
  emscripten::function("plot", &call<&ExplorerDocuments::plot, string, string, string, string, string>);
  emscripten::function("figure", &call<&ExplorerDocuments::figure, string, string, string>);
  emscripten::function("axes", &call<&ExplorerDocuments::axes, string>);
  emscripten::function("drag", &call<&ExplorerDocuments::drag, string, string, double, double>);
}
