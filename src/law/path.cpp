#include "ricochet/law/path.hpp"

namespace ricochet {

std::string_view name(Event event) {
  switch (event) {
    case Event::start: return "start";
    case Event::compression_ends: return "compression-ends";
    case Event::slip_stops: return "slip-stops";
    case Event::slip_resumes: return "slip-resumes";
    case Event::compression_resumes: return "compression-resumes";
    case Event::end: return "end";
  }
  return "unknown";
}

}  // namespace ricochet
