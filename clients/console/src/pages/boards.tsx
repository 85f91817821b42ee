// Boards: all of them, or the one of the address. Every reader of the tenant may open either.
import "../styles/boards.css";
import { useRoute } from "preact-iso";

import { BoardPage } from "../boards/board_page";
import { BoardList } from "../boards/list";

export function Boards() {
  const board = useRoute().params["board"];
  return board ? <BoardPage key={board} boardId={board} /> : <BoardList />;
}
