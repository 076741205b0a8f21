# The gateway and the Node that runs it, and nothing else: no shell, no package manager, no sources.
# `docker build -t marketgraph .`; docs/deploying.md says how to run it.

# Any image of Debian or Ubuntu that has npm.
ARG BASE=node:26-slim
FROM ${BASE} AS build
WORKDIR /build
# Installed again only where one of these changes.
COPY .npmrc package.json package-lock.json ./
COPY node node
RUN npm ci
COPY . .
# What npm would publish, the Node of package-lock.json, and the libraries which that needs.
RUN npm pack --pack-destination /tmp \
  && mkdir -p /image/data /image/tmp /image/etc && chmod 1777 /image/tmp \
  && tar -xzf /tmp/marketgraph-*.tgz -C /image && mv /image/package /image/app \
  && node=$(npm exec -- node -p process.execPath) && install -D "$node" /image/usr/bin/node \
  && if ldd "$node" | grep 'not found'; then exit 1; fi \
  && for file in $(ldd "$node" | grep -o '/[^ ]*'); do install -D "$file" "/image$file"; done \
  && echo 'hosts: files dns' > /image/etc/nsswitch.conf

FROM scratch
COPY --from=build /image /
COPY --from=build --chown=65532:65532 /image/data /data
# Where no server is shared, answers and the count of units are here: they must outlive the container.
VOLUME /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER 65532:65532
EXPOSE 4000
HEALTHCHECK --interval=2s --timeout=3s --retries=3 CMD ["/usr/bin/node", "/app/bin/marketgraph.cjs", "health"]
ENTRYPOINT ["/usr/bin/node", "/app/bin/marketgraph.cjs"]
