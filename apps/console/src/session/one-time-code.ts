/** Removes the code from the address at once, so neither history nor a copied address contains it. */
export function takeOneTimeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', location.pathname + location.search);
  }
  return code;
}
