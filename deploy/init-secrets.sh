#!/bin/sh
# Creates the secrets for compose.yaml in deploy/secrets. Existing files are kept.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

random() { head -c "$1" /dev/urandom | base64 | tr -d '\n'; }
# Hexadecimal, because the password becomes part of a URL.
password() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }

[ -s postgres_password ] || password > postgres_password
[ -s grafana_password ] || password > grafana_password
[ -s metrics_token ] || password > metrics_token
[ -s service.env ] || cat > service.env << END
DATABASE_URL=postgresql://agents:$(cat postgres_password)@postgres:5432/agents
SECRETS_KEY=$(random 32)
METRICS_TOKEN=$(cat metrics_token)
END
# Containers read these files as different users. The directory itself is private to its owner.
chmod 0444 postgres_password grafana_password metrics_token
echo "The secrets are in $(pwd). Keep a copy of service.env elsewhere: backups are useless without its SECRETS_KEY."
