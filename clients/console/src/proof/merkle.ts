// Merkle tree hashing and proofs of RFC 6962, verified as RFC 9162 says.
import { type Bytes, hex, joined, same, sha256 } from "./bytes";

const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** A proof does not prove what it claims; the message says at which step it fails. */
export class ProofError extends Error {}

export const leafHash = (data: Uint8Array): Promise<Bytes> => sha256(joined([LEAF, data]));
export const nodeHash = (left: Uint8Array, right: Uint8Array): Promise<Bytes> => sha256(joined([NODE, left, right]));

/** One step of a way to the root: on which side the sibling stands, and what both give. */
export interface PathStep {
  readonly sibling: Bytes;
  readonly side: "left" | "right";
  readonly gives: Bytes;
}

/** Check that the leaf with this hash is number `index` of the tree with this root; the way there. */
export async function verifyInclusion(
  leaf: Bytes, index: bigint, size: bigint, proof: readonly Bytes[], root: Bytes, hash = nodeHash,
): Promise<PathStep[]> {
  if (index < 0n || index >= size) throw new ProofError(`a tree of ${size} leaves has no leaf ${index}`);
  requireHashes([leaf, root, ...proof]);
  let [position, last, current] = [index, size - 1n, leaf];
  const steps: PathStep[] = [];
  for (const sibling of proof) {
    if (last === 0n) throw new ProofError("the proof is longer than the tree is high");
    const left = (position & 1n) === 1n || position === last;
    current = left ? await hash(sibling, current) : await hash(current, sibling);
    steps.push({ sibling, side: left ? "left" : "right", gives: current });
    if (left) while (position !== 0n && (position & 1n) === 0n) [position, last] = [position >> 1n, last >> 1n];
    [position, last] = [position >> 1n, last >> 1n];
  }
  if (last !== 0n) throw new ProofError("the proof ends below the root");
  requireEqual(current, root, "root");
  return steps;
}

/** Check that the tree with `oldRoot` begins the tree with `newRoot`. An empty tree begins every tree, and proves nothing. */
export async function verifyConsistency(
  oldSize: bigint, newSize: bigint, proof: readonly Bytes[], oldRoot: Bytes, newRoot: Bytes,
): Promise<void> {
  if (oldSize === 0n) throw new ProofError("an empty tree begins every tree: there is nothing to verify");
  if (oldSize < 0n || oldSize > newSize) throw new ProofError(`a tree of ${oldSize} leaves cannot begin one of ${newSize}`);
  requireHashes([oldRoot, newRoot, ...proof]);
  let [first, position, last] = [0n, oldSize - 1n, newSize - 1n];
  const up = () => ([first, position, last] = [first >> 1n, position >> 1n, last >> 1n]);
  while (first !== position && (position === last || (position & 1n) === 1n)) up();
  const path = first === position ? [oldRoot, ...proof] : [...proof];
  if (path.length === 0) throw new ProofError("the proof is empty");
  let [small, large] = [path[0]!, path[0]!];
  for (const sibling of path.slice(1)) {
    if (last === 0n) throw new ProofError("the proof is longer than the tree is high");
    if ((position & 1n) === 1n || position === last) {
      if (first < position) small = await nodeHash(sibling, small);
      large = await nodeHash(sibling, large);
      while (position !== 0n && (position & 1n) === 0n) up();
    } else {
      large = await nodeHash(large, sibling);
    }
    up();
  }
  if (last !== 0n) throw new ProofError("the proof ends below the root");
  requireEqual(small, oldRoot, "smaller root");
  requireEqual(large, newRoot, "larger root");
}

/** Hashing of nodes that remembers: what neighbours' proofs share is hashed once. */
export function remembering(): typeof nodeHash {
  const known = new Map<string, Promise<Bytes>>();
  return (left, right) => {
    const key = hex(left) + hex(right);
    const found = known.get(key) ?? nodeHash(left, right);
    known.set(key, found);
    return found;
  };
}

function requireHashes(hashes: readonly Bytes[]): void {
  for (const hash of hashes) {
    if (hash.length !== HASH_BYTES) throw new ProofError(`a hash has ${hash.length} bytes instead of ${HASH_BYTES}`);
  }
}

function requireEqual(computed: Bytes, claimed: Bytes, name: string): void {
  if (!same(computed, claimed)) throw new ProofError(`the ${name} is ${hex(claimed)}, the proof leads to ${hex(computed)}`);
}
