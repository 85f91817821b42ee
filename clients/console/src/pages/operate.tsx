import "../styles/operate.css";
import { Empty } from "../parts/states";

export function Operate() {
  return <Empty title="Operate" />;
}
