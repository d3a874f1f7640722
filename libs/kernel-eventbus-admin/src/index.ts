export { AdminPrincipal } from './access/admin-principal.js';
export { EndpointEditor } from './endpoints/endpoint-editor.js';
export { EventBusAdminModule } from './eventbus-admin.module.js';
export { LaneSkipper } from './lanes/lane-skipper.js';
export { selectLanes } from './lanes/select-lanes.sql.js';
export { OneTimeCode } from './session/one-time-code.js';
