#include "ricochet/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ricochet {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fdfdfc; --line: #d5d9de; --soft: #5c6670; --good: #0a7a3b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --paper: #16191d; --line: #3a4149; --soft: #a3adb7; --good: #5fd38d; --bad: #ff8a80; } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin-bottom: 0; } h2 { border-bottom: 1px solid var(--line); padding-bottom: .2rem; margin-top: 2.2rem; }
p.subtitle { margin-top: .2rem; color: var(--soft); }
nav a { margin-right: 1rem; } a { color: inherit; }
.scroll { overflow-x: auto; } .scroll + .scroll, .scroll + .figures { margin-top: 1rem; } table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; } th { white-space: normal; vertical-align: bottom; } sub, sup { line-height: 0; }
th:first-child, td:first-child { text-align: left; } th.words, td.words { text-align: left; white-space: normal; } tr.none td { color: var(--soft); white-space: normal; text-align: left; }
tr.good td.verdict { color: var(--good); } tr.bad td.verdict { color: var(--bad); font-weight: 600; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; max-width: 100%; }
figure svg { background: #fff; border: 1px solid var(--line); border-radius: 6px; max-width: 100%; height: auto; } iframe { display: block; width: 100%; height: min(46rem, 90vh); border: 1px solid var(--line); border-radius: 6px; } figcaption { contain: inline-size; color: var(--soft); font-size: .9rem; }
@media print { nav { display: none; } table { font-size: 6.5pt; } th, td { padding: .15rem .25rem; } h2 { break-after: avoid; } figure { break-inside: avoid; } })";

/// $Mathematics$ as in a drawing's text.
std::string rich(const std::string& text) {
  std::string out;
  for (const TextRun& run : text_runs(text)) {
    const char* script = run.level < 0 ? "sub" : run.level > 0 ? "sup" : "";
    if (run.level != 0) out += fmt::format("<{}>", script);
    out += run.italic ? fmt::format("<i>{}</i>", escape_xml(run.text)) : escape_xml(run.text);
    if (run.level != 0) out += fmt::format("</{}>", script);
  }
  return out;
}

void write_table(std::string& out, const PageTable& table) {
  out += "<div class=\"scroll\"><table>\n<thead><tr>";
  const auto of_words = [&](std::size_t column) {
    return std::find(table.words.begin(), table.words.end(), column) != table.words.end();
  };
  for (std::size_t k = 0; k < table.heads.size(); ++k)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", of_words(k) ? " class=\"words\"" : "", rich(table.heads[k]));
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string kind = i < table.classes.size() ? table.classes[i] : "";
    const std::vector<std::string>& row = table.rows[i];
    out += kind.empty() ? std::string("<tr>") : fmt::format("<tr class=\"{}\">", kind);
    for (std::size_t k = 0; k < row.size(); ++k) {
      // The last cell of a short row spans the remaining columns.
      const bool last = k + 1 == row.size();
      if (last && row.size() < table.heads.size()) {
        out += fmt::format("<td colspan=\"{}\">{}</td>", table.heads.size() - k, escape_xml(row[k]));
      } else {
        out += fmt::format("<td{}>{}</td>",
                           k == 1 && !kind.empty() ? " class=\"verdict\""
                           : of_words(k)           ? " class=\"words\""
                                                   : "",
                           escape_xml(row[k]));
      }
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
}

void write_section(std::string& out, const PageSection& section) {
  out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, escape_xml(section.title));
  if (!section.text.empty()) out += fmt::format("<p>{}</p>\n", escape_xml(section.text));
  for (const PageTable& table : section.tables) write_table(out, table);
  if (!section.figures.empty()) {
    out += "<div class=\"figures\">\n";
    for (const PageFigure& figure : section.figures)
      out += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", to_svg(figure.drawing, false),
                         escape_xml(figure.caption));
    out += "</div>\n";
  }
  if (!section.frame.empty())
    out += fmt::format("<iframe title=\"{}\" srcdoc=\"{}\"></iframe>\n", escape_xml(section.title),
                       escape_xml(section.frame));
  out += "</section>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>{}\n</style>\n</head>\n<body>\n<h1>{}</h1>\n",
      escape_xml(page.title), style, escape_xml(page.title));
  if (!page.subtitle.empty()) out += fmt::format("<p class=\"subtitle\">{}</p>\n", escape_xml(page.subtitle));
  out += "<nav aria-label=\"contents\">";
  for (const PageSection& section : page.sections)
    out += fmt::format("<a href=\"#{}\">{}</a>", section.id, escape_xml(section.title));
  out += "</nav>\n<main>\n";
  for (const PageSection& section : page.sections) write_section(out, section);
  out += "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace ricochet
