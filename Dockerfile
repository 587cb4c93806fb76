# redink with everything, for an ordinary user in the folder /data:
#   docker build -t redink .
#   docker run --rm -v "$PWD:/data" -u "$(id -u)" redink score gold.m2 system.txt
FROM python:3.13.9-slim-trixie AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
COPY packaging/metadata.py ./packaging/
RUN python -m venv /opt/redink \
 && wheel=$(mktemp -d) \
 && pip wheel --no-cache-dir --no-deps --wheel-dir "$wheel" . \
 && /opt/redink/bin/pip install --no-cache-dir "$(echo "$wheel"/redink-*.whl)[campaign,plots,scale,spacy]" \
 && /opt/redink/bin/redink --version

FROM python:3.13.9-slim-trixie
COPY --from=build /opt/redink /opt/redink
# matplotlib keeps its list of fonts where any user may write; output comes as it is made.
ENV PATH="/opt/redink/bin:$PATH" MPLCONFIGDIR=/tmp/matplotlib PYTHONUNBUFFERED=1
RUN useradd --create-home --uid 1000 redink && mkdir /data && chown redink /data
USER redink
WORKDIR /data
EXPOSE 8000
ENTRYPOINT ["redink"]
CMD ["--help"]
