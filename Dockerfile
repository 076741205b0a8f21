# The gateway and the Node that runs it, and nothing else: no shell, no package manager, no sources.
# Build it with `docker build -t marketgraph .`; docs/deploying.md says how to run it.

# Any Debian or Ubuntu image that has npm and libatomic1, which Node 26 needs.
ARG BASE=node:26-slim
FROM ${BASE} AS build
WORKDIR /build
# Packages are installed again only if one of these files changes.
COPY .npmrc package.json package-lock.json ./
COPY node node
RUN npm ci
COPY . .
# The package as npm would publish it, the Node of package-lock.json, and the libraries that Node needs.
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
# Without SHARED_URL, stored answers and the count of spent units are here: they must outlive the container.
VOLUME /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER 65532:65532
EXPOSE 4000
HEALTHCHECK --interval=2s --timeout=3s --retries=3 CMD ["/usr/bin/node", "/app/bin/marketgraph.cjs", "health"]
ENTRYPOINT ["/usr/bin/node", "/app/bin/marketgraph.cjs"]
