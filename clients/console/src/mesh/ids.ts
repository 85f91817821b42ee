/** A fresh id as requests want it: whoever repeats a request with its id makes nothing twice. */
export function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
