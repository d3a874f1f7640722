/** Undefined where Buffer would skip what it cannot decode: two readers that skip differently would compute two signatures. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
