import "../styles/why.css";
import { Empty } from "../parts/states";

export function Why() {
  return <Empty title="Why" />;
}
