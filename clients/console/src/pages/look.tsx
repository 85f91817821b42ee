import "../styles/look.css";
import { Empty } from "../parts/states";

export function Look() {
  return <Empty title="Look" />;
}
