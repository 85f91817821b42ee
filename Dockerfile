# syntax=docker/dockerfile:1
# One image for every service: `docker build -t assay:0.1.0 .`, then `docker run assay:0.1.0 planner`.
# The base is pinned by its digest (python:3.12-slim-bookworm), libraries by their hashes.
ARG PYTHON=docker.io/library/python:3.12-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${PYTHON} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY requirements requirements
COPY scripts/image.sh scripts/image.sh
COPY pyproject.toml README.md LICENSE ./
COPY mesh mesh
COPY services services
COPY gateway gateway
COPY clients/__init__.py clients/__init__.py
COPY clients/python clients/python
COPY gen gen
# An index of your own: --secret id=pip,src=pip.conf. Nothing of it stays in the image.
RUN --mount=type=secret,id=pip,target=/etc/pip.conf sh scripts/image.sh /opt/assay

FROM ${PYTHON}
# What keeps generated code in where user namespaces are allowed; elsewhere landlock does.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap libseccomp2 libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 assay \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/assay assay \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/assay
COPY --from=build /opt/assay /opt/assay
ENV PATH=/opt/assay/bin:$PATH \
    ASSAY_HOME=/var/lib/assay \
    ASSAY_MODEL_FOLDER=/opt/assay/model \
    MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME /var/lib/assay
EXPOSE 7400
ENTRYPOINT ["python", "-m", "services"]
CMD ["all"]
