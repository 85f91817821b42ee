"""The pod that fills the audit log's volume from a backup is one that audit's cluster takes."""

from __future__ import annotations

from tests.deployment.rendered import (
    BASE,
    COMPONENT,
    RECOVERY,
    REPOSITORY,
    SERVICES,
    Manifest,
    of_kind,
    pod,
    servers,
    settings,
)
from tests.deployment.test_manifests import assert_restricted


def helper() -> Manifest:
    """The pod."""
    (found,) = of_kind(RECOVERY, "Pod").values()
    return found


def test_it_is_admitted_as_restricted_and_taken_for_no_service() -> None:
    assert_restricted(helper()["spec"])
    assert helper()["metadata"]["labels"][COMPONENT] not in SERVICES
    (namespace,) = of_kind(BASE, "Namespace")
    assert {each["metadata"]["namespace"] for each in (helper(), claim())} == {namespace}


def test_the_claim_is_the_one_that_audit_takes() -> None:
    audit = servers(BASE)["audit"]
    (template,) = audit["spec"]["volumeClaimTemplates"]
    assert claim()["metadata"]["name"] == f"{template['metadata']['name']}-audit-0"
    assert claim()["spec"] == template["spec"]


def claim() -> Manifest:
    """The volume's."""
    (found,) = of_kind(RECOVERY, "PersistentVolumeClaim").values()
    return found


def test_it_fills_the_home_as_audit_finds_it() -> None:
    audit = servers(BASE)["audit"]
    (mine,), (audits,) = helper()["spec"]["containers"], pod(audit)["containers"]
    assert mine["image"] == audits["image"]
    assert helper()["spec"]["securityContext"] == pod(audit)["securityContext"]
    home = settings(audit, BASE)["ASSAY_HOME"]
    assert {each["name"]: each["value"] for each in mine["env"]} == {"ASSAY_HOME": home}
    mounted = {each["mountPath"]: each["name"] for each in mine["volumeMounts"]}
    volumes = {each["name"]: each for each in helper()["spec"]["volumes"]}
    said = volumes[mounted[home]]["persistentVolumeClaim"]
    assert said == {"claimName": claim()["metadata"]["name"]}


def test_the_page_names_it() -> None:
    page = (REPOSITORY / "docs" / "operations.md").read_text()
    assert f"kustomize build {RECOVERY} | kubectl apply -f -" in page
    assert f"exec {helper()['metadata']['name']} -- assay restore " in page
