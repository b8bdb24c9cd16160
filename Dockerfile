# The command `wmsketch` from a wheel, without a compiler, as a user without rights:
#
#   make wheels && docker build -t wmsketch . && docker run --rm -v "$PWD:/data" wmsketch explain /data/requests.csv --outlier 'took>p95'
FROM python:3.13-slim AS build
COPY dist/*-abi3-*.whl /wheels/
RUN python -m venv /opt/wmsketch \
 && /opt/wmsketch/bin/pip install --no-cache-dir --only-binary=:all: /wheels/*.whl \
 && /opt/wmsketch/bin/pip uninstall --yes pip

FROM python:3.13-slim
COPY --from=build /opt/wmsketch /opt/wmsketch
RUN useradd --system --uid 10001 --no-create-home wmsketch
ENV PATH=/opt/wmsketch/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s \
  CMD ["python", "-c", "import wmsketch; m = wmsketch.AWMSketch('1KiB'); m.learn_one({'a': 1.0}, True); assert m.weight('a') > 0"]
ENTRYPOINT ["wmsketch"]
CMD ["--help"]
