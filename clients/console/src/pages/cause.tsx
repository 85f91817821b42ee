import "../styles/cause.css";
import { Empty } from "../parts/states";

export function Cause() {
  return <Empty title="Cause" />;
}
