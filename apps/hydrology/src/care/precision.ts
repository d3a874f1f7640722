/** As in GeoJSON: longitude, latitude. */
export type Coordinates = [longitude: number, latitude: number];

/** Where a restricted site lies, for whoever works with the artifact: to about 1 km. */
export const INSIDE_DECIMALS = 2;

/** And for everybody else: to about 11 km. */
export const OUTSIDE_DECIMALS = 1;

export function coarsen([longitude, latitude]: Coordinates, decimals: number): Coordinates {
  return [round(longitude, decimals), round(latitude, decimals)];
}

function round(degrees: number, decimals: number): number {
  return Number(degrees.toFixed(decimals));
}
