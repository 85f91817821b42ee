/** A fresh request id: a request repeated with the same id creates nothing twice. */
export function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
