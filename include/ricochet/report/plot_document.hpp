#pragma once
/// A plot as it is drawn in a pane of a screen, as one JSON document: everything at its place on the page, and what is
/// needed to read values off and to drag. The table of its fields is in docs/explorer.md.

#include "ricochet/io/json.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

/// Reads {"width", "height", "alphabet", "zoom", "shift", "range": {"low", "high"} or null}; `alphabet` is the width of
/// the 26 small letters in the pane's typeface, of size 1.
[[nodiscard]] Expected<PlotPane> read_pane(std::string_view text);

/// Fails where the plot cannot be drawn in the pane.
[[nodiscard]] Expected<Json> plot_document(const Plot& plot, const PlotPane& pane);

}  // namespace ricochet
