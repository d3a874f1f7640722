/** A place for one delivery. */
export interface Place {
  tenantId: string;
  endpointId: string;
}

/** Free places of a worker. */
export interface Room {
  /** Takes a place for a delivery, if there is one. */
  take(place: Place & { maxInFlight: number | null }): boolean;
}
