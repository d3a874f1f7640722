/** As in GeoJSON: longitude, latitude. */
export type Coordinates = [longitude: number, latitude: number];

/** Precision of a restricted site in the artifact: about 1 km. */
export const INSIDE_DECIMALS = 2;

/** Precision of a restricted site outside the artifact: about 11 km. */
export const OUTSIDE_DECIMALS = 1;

export function coarsen([longitude, latitude]: Coordinates, decimals: number): Coordinates {
  return [round(longitude, decimals), round(latitude, decimals)];
}

function round(degrees: number, decimals: number): number {
  return Number(degrees.toFixed(decimals));
}
