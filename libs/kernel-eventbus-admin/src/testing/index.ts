/** Operators' actions for tests of other packages. Not an entry of the published package. */
export { AdminPrincipal } from '../access/admin-principal.js';
export { EndpointEditor } from '../endpoints/endpoint-editor.js';
export { LaneSkipper } from '../lanes/lane-skipper.js';
export { selectLanes } from '../lanes/select-lanes.sql.js';
