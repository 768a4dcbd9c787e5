#pragma once
/// A report as one HTML file that needs nothing else: no network, no script, light and dark.

#include <string>
#include <vector>

#include "ricochet/report/drawing.hpp"

namespace ricochet {

struct PageTable {
  std::vector<std::string> heads;  ///< may hold $mathematics$, as text of a drawing does; cells are plain
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> classes = {};  ///< of each row: "good", "bad", "none" or empty
};

struct PageFigure {
  Drawing drawing;
  std::string caption;
};

/// A part of the page with its own place in the table of contents; a viewer of motion would be one more.
struct PageSection {
  std::string id;
  std::string title;
  std::string text = {};  ///< plain, in paragraphs
  std::vector<PageTable> tables = {};
  std::vector<PageFigure> figures = {};  ///< side by side where there is room
};

struct Page {
  std::string title;
  std::string subtitle = {};
  std::vector<PageSection> sections;
};

[[nodiscard]] std::string to_html(const Page& page);

}  // namespace ricochet
