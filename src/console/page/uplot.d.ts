// The gateway serves the package's module beside the page's own.
import uPlot from 'uplot';
export default uPlot;
