"""The console's files: one page, whatever its address, and what it loads."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "console"
_FOR_EVER = "public, max-age=31536000, immutable"


class ConsoleFiles(StaticFiles):
    """Files by their names; every other address is a page of the console, which knows them."""

    def __init__(self) -> None:
        super().__init__(directory=FOLDER, html=True, check_dir=False)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the console's page."""
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or path.startswith("assets/"):
                raise
            response = await super().get_response("index.html", scope)
        named_by_content = path.startswith("assets/")
        response.headers["cache-control"] = _FOR_EVER if named_by_content else "no-cache"
        return response
