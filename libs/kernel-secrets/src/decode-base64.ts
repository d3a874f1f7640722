/** Undefined where Buffer would skip invalid characters: two decoders that skip differently compute two signatures. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
