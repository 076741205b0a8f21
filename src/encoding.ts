/** A part of an address that was percent-encoded, decoded; undefined where it cannot be. Never throws. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The content coding that a client of this `accept-encoding` header gets (RFC 9110 section 12.5.3): of those that
 * are offered the one with the highest weight, and among equals the first; undefined: none.
 */
export function encodingFor<C extends string>(
  header: string,
  offered: readonly C[],
): C | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(weight) || 0);
  }
  const weightOf = (coding: C) => weights.get(coding) ?? weights.get('*') ?? 0;
  const most = Math.max(...offered.map(weightOf));
  // A client that prefers `identity` gets the text as it is.
  if (most <= 0 || (weights.get('identity') ?? 0) > most) return undefined;
  return offered.find((coding) => weightOf(coding) === most);
}
