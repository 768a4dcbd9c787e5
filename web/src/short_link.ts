/**
 * The address in fewer letters: `#z=` and the address of state.ts, its usual words as one letter each, deflated, in the 64
 * letters that need no escape.
 */

// The list may grow at its end; what is there stays, because links last.
const words = [
  '.angular_velocity=', '.orientation=', '.position=', '.velocity=', '.inertia=', '.mass=', '.fixed=true', '.name=', '&laws=',
  '&focus=', '&reach=', '&point=', '&title=', '&target=', '&restitution=', '&kappa=', '&psi_', '&mu_', '&mu=', '&e_t=', '&sigma=',
  '&rho=', '&A', '&B', '&V=', '&n=', '&e=', '0,0,0', ',0.',
  'frictionless,chatterjee-ruina,routh,whittaker,smith,spring-sledge', 'frictionless', 'chatterjee-ruina', 'bilinear', 'routh',
  'whittaker', 'smith', 'brach', 'pfeiffer-glocker', 'anitescu-potra', 'permissible-point', 'projected', 'spring-sledge', 'composite',
  'graded-sledge', 'graded-region',
]; // prettier-ignore
/** Control characters, and then letters that are not ASCII, which no address has. */
const letter = (i: number) => String.fromCharCode(i < 29 ? 1 + i + (i >= 9 ? 1 : 0) : 0x80 + i);

const through = async (bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> => {
  const writer = stream.writable.getWriter();
  void writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  void writer.close().catch(() => {});
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
};

export async function shortened(address: string): Promise<string> {
  const spelt = words.reduce((text, word, i) => text.replaceAll(word, letter(i)), `&${address}`);
  const packed = await through(new TextEncoder().encode(spelt), new CompressionStream('deflate-raw'));
  const text = btoa(String.fromCharCode(...packed)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const short = `z=${text}`;
  return short.length < address.length ? short : address;
}

/** Throws where it was cut or changed on the way. */
export async function lengthened(short: string): Promise<string> {
  const text = short.replace(/^z=/, '').replaceAll('-', '+').replaceAll('_', '/');
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const spelt = new TextDecoder('utf-8', { fatal: true }).decode(await through(packed, new DecompressionStream('deflate-raw')));
  // Later words may contain earlier ones' letters, so they are undone from the end.
  return words.reduceRight((whole, word, i) => whole.replaceAll(letter(i), word), spelt).replace(/^&/, '');
}
