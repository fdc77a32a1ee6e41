# Causeway in a container. compose.yaml runs three of them on one Postgres; see docs/scale.md.
FROM node:26-bookworm-slim
WORKDIR /app
ENV HOST=0.0.0.0 DATA_DIR=/data LOG_FORMAT=json
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force
COPY src src
# Node.js keeps compiled code here, which halves the time of later starts.
RUN install -d -o node -g node /data node_modules/.cache/causeway
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/start.js"]
