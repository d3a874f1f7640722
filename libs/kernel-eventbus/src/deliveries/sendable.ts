/** Endpoints that a process can send to. */
export interface Sendable {
  /** Endpoints of dispatchers that serve only some. */
  endpointIds: readonly string[];
  /** Dispatchers that serve every endpoint. */
  dispatchers: readonly string[];
  defaultDispatcher: string;
}
