import "../styles/boards.css";
import { Empty } from "../parts/states";

export function Boards() {
  return <Empty title="Boards" />;
}
