"""The gateway's certificate is for the names by which its clients are told to call it."""

from __future__ import annotations

import re

from tests.deployment.rendered import REPOSITORY, of_kind

PRODUCTION = "k8s/overlays/production"
README = (REPOSITORY / "k8s" / "README.md").read_text()


def test_the_gateways_certificate_has_every_name_that_clients_call() -> None:
    names = of_kind(PRODUCTION, "Certificate")["gateway-public"]["spec"]["dnsNames"]
    called = re.findall(r"https://(?:dns:///)?([a-z.]+):7400", README)
    assert called
    assert set(called) <= set(names)
    (namespace,) = of_kind(PRODUCTION, "Namespace")
    ends = ("", ".svc", ".svc.cluster.local")
    assert {f"gateway.{namespace}{end}" for end in ends} <= set(names)


def test_an_authority_that_is_renewed_keeps_its_key() -> None:
    """cert-manager makes no certificate anew because its authority's was: with another key those of
    before and of after would refuse each other until each is renewed, weeks later."""
    authority = of_kind(PRODUCTION, "Certificate")["mesh-authority"]["spec"]
    assert authority["isCA"] is True
    assert authority["privateKey"]["rotationPolicy"] == "Never"
