"""Which pages are let in: what `assay publish` makes, and nothing that could run or load."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesh.errors import PAGE_UNSAFE, AssayError
from mesh.text.page import POLICY, read_page

HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
)
PIXEL = "data:image/png;base64,iVBORw0KGgo="


def page(body: str, head: str = "<title>A &lt;page&gt;</title>") -> bytes:
    return f"{HEAD}{head}</head>\n<body>\n{body}\n</body>\n</html>\n".encode()


def is_refused(content: bytes) -> bool:
    try:
        read_page(content)
    except AssayError as error:
        assert error.reason is PAGE_UNSAFE and error.message
        return True
    return False


def test_a_page_says_its_title() -> None:
    read = read_page(page("<h1>Sales</h1>"))
    assert read.title == "A <page>" and "<h1>Sales</h1>" in read.html
    assert read_page(page("", f"<title>{'x' * 300}</title>")).title == "x" * 200
    assert read_page(page("", "")).title == ""


@pytest.mark.parametrize(
    "body",
    [
        '<p id="a" class="soft" title="f1.x > 1 &amp; &quot;y&quot;">1 &lt; 2 &#x27;</p>'.replace(
            " > ", " &gt; "
        ),
        '<a href="https://x.example/?a=b&amp;c" rel="noopener">x</a> <a href="#f1.r1.c2">y</a>',
        '<a href="mailto:a@x.example">mail</a><br><hr>',
        f'<img src="{PIXEL}" alt="a chart">',
        '<table><tbody><tr><td style="text-align:right" colspan="2">1</td></tr></tbody></table>',
        "<pre><code>&lt;script&gt;</code></pre><details><summary>s</summary></details>",
        "a &copy; b & c, 5 > 3",
    ],
)
def test_what_a_page_needs_is_let_in(body: str) -> None:
    assert not is_refused(page(body))


HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/a.js></SCRIPT>",
    "<scr\x0cipt>alert(1)</script>",
    "<script",
    "<iframe src='https://x.example'></iframe>",
    '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
    '<object data="x"></object>',
    '<embed src="x">',
    '<form action="https://x.example"><input></form>',
    "<input autofocus>",
    "<button>x</button>",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert(1)>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<video src=x onerror=alert(1)></video>",
    '<audio src="https://x.example/a.mp3"></audio>',
    "<template><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    "<base href='https://x.example/'>",
    '<link rel="stylesheet" href="https://x.example/a.css">',
    '<meta http-equiv="refresh" content="0;url=https://x.example">',
    '<meta http-equiv="Content-Security-Policy" content="default-src *">',
    '<meta name="viewport" http-equiv="refresh" content="0;url=https://x.example">',
    '<meta charset="utf-7">',
    '<p onclick="alert(1)">x</p>',
    "<p ONCLICK=alert(1)>x</p>",
    '<p id="a"onclick="alert(1)">x</p>',
    "<p id='a' onclick='alert(1)'>x</p>",
    "<p/onclick=alert(1)>x</p>",
    '<p title="`" onclick="alert(1)">x</p>',
    '<p title="<b onclick=alert(1)>">x</p>',
    "<p title='\"' id=x>x</p>",
    '<p id="a" id="b">x</p>',
    '<p style="background:url(https://x.example/a.png)">x</p>',
    '<td style="text-align:right;background:url(x)">x</td>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVaScRiPt:alert(1)">x</a>',
    '<a href=" javascript:alert(1)">x</a>',
    '<a href="java&#x09;script:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href="vbscript:x">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
    '<a href="//x.example">x</a>',
    '<a href="file:///etc/passwd">x</a>',
    '<a href="https://x.example" ping="https://x.example">x</a>',
    '<a href="https://x.example" target="_blank">x</a>',
    '<img src="https://x.example/a.png">',
    '<img src="//x.example/a.png">',
    '<img src="a.png">',
    '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
    '<img src="data:image/png;base64,AA==" srcset="https://x.example/a.png 2x">',
    '<img src="data:image/png;base64,AA==" onerror="alert(1)">',
    "<style>@import url(https://x.example/a.css);</style>",
    "<style>p { background: URL('https://x.example'); }</style>",
    "<style>p { background: u\\72l(https://x.example); }</style>",
    "<style>@font-face { src: url(https://x.example); }</style>",
    "<style>p { background: image-set('https://x.example' 1x); }</style>",
    "<style></style ><script>alert(1)</script>",
    "<style><!--</style><img src=x onerror=alert(1)>--></style>",
    "<title></title><script>alert(1)</script>",
    "<!-- a comment -->",
    "<!--><script>alert(1)</script>-->",
    "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml-stylesheet href='https://x.example'?>",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "<!doctype html>",
    "</p <script>alert(1)</script>",
    "a < b",
    "<plaintext>",
    "<textarea><script>alert(1)</script></textarea>",
    "<xmp><script>alert(1)</script></xmp>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<custom-element></custom-element>",
    "<p hidden>x</p>",
    "<p contenteditable>x</p>",
    "<body onload=alert(1)>",
    '<html manifest="https://x.example">',
    "<p \x00>x</p>",
    "\x00",
    '<p id="',
    "<p id=a",
    '<img src="data:image/png;base64,AA==" ',
    "&lt;p&gt;<",
]


@pytest.mark.parametrize("body", HOSTILE)
def test_what_could_run_or_load_is_not(body: str) -> None:
    assert is_refused(page(body))
    assert is_refused(page("", body)), "in the head"
    assert is_refused(page(f"<details><summary>x</summary><p>{body}</p></details>"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no page",
        b"<html><head><title>x</title></head></html>",
        page("").replace(POLICY.encode(), b"default-src *"),
        page("").replace(b"<meta charset", b'<img src="data:image/png;base64,AA=="><meta charset'),
        page("").replace(b"<!doctype html>", b"<!doctype html SYSTEM 'x'>"),
        b"<p>first</p>" + page(""),
        page("\u00e9").decode().encode("latin-1"),
        page("x").decode().encode("utf-16"),
    ],
)
def test_what_states_no_policy_is_not(content: bytes) -> None:
    assert is_refused(content)


@settings(max_examples=50)
@given(st.lists(st.sampled_from([*"<>\"'=/!-& \n", "script", "img", "onerror", "p", "src", "a"])))
def test_pieces_in_any_order_run_nothing(pieces: list[str]) -> None:
    body = "".join(pieces)
    if not is_refused(page(body)):
        lowered = body.lower()
        assert "<script" not in lowered and "<img" not in lowered and "<!" not in lowered
