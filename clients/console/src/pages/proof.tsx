import "../styles/proof.css";
import { Empty } from "../parts/states";

export function Proof() {
  return <Empty title="Proof" />;
}
