export { createPlotView, type PlotOptions } from './plot';
export { createSpaceView } from './space';
export { refused, type Change, type Frame, type View, type ViewOptions } from './view';
