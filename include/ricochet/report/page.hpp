#pragma once
/// A report as one self-contained HTML file: no network, no script but that of the frames, light and dark.

#include <string>
#include <vector>

#include "ricochet/report/drawing.hpp"

namespace ricochet {

struct PageTable {
  std::vector<std::string> heads;  ///< may contain $mathematics$ like the text of a drawing; cells are plain
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> classes = {};  ///< of each row: "good", "bad", "none" or empty
  std::vector<std::size_t> words = {};    ///< columns of words, flush left and broken into lines; others are numbers
};

struct PageFigure {
  Drawing drawing;
  std::string caption;
};

/// A section of the page with an entry in the table of contents.
struct PageSection {
  std::string id;
  std::string title;
  std::string text = {};  ///< plain, in paragraphs
  std::vector<PageTable> tables = {};
  std::vector<PageFigure> figures = {};  ///< side by side if they fit
  std::string frame = {};                ///< a whole page, shown in a frame: `motion_page` (motion_document.hpp)
};

struct Page {
  std::string title;
  std::string subtitle = {};
  std::vector<PageSection> sections;
};

[[nodiscard]] std::string to_html(const Page& page);

}  // namespace ricochet
