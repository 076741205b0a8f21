/** Decodes a percent-encoded part of a URL; undefined if it cannot be decoded. Never throws. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Chooses the content coding for an `accept-encoding` header (RFC 9110 section 12.5.3): the offered coding with the
 * highest weight, the first one among equals. Undefined: no coding is to be used.
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
  const highest = Math.max(...offered.map(weightOf));
  // A client that prefers `identity` gets the text unencoded.
  if (highest <= 0 || (weights.get('identity') ?? 0) > highest) return undefined;
  return offered.find((coding) => weightOf(coding) === highest);
}
