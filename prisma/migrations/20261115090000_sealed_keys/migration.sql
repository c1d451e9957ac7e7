-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- The id of the SECRETS_KEY that a value is sealed with, as the value's own header names it (server/lib/crypto.ts); empty
-- for a value from before keys had ids. Generated, so that it cannot differ from the value.
ALTER TABLE "webhooks" ADD COLUMN "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
    CASE
        WHEN substring("sealed_secret" from 1 for 1) = '\x02'::bytea THEN encode(substring("sealed_secret" from 2 for 4), 'hex')
        WHEN "sealed_secret" IS NOT NULL THEN ''
    END
) STORED;
ALTER TABLE "mfa_enrolments" ADD COLUMN "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
    CASE
        WHEN substring("sealed_secret" from 1 for 1) = '\x02'::bytea THEN encode(substring("sealed_secret" from 2 for 4), 'hex')
        WHEN "sealed_secret" IS NOT NULL THEN ''
    END
) STORED;
-- Null while there is no response.
ALTER TABLE "idempotency_records" ADD COLUMN "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
    CASE
        WHEN substring("sealed_response" from 1 for 1) = '\x02'::bytea THEN encode(substring("sealed_response" from 2 for 4), 'hex')
        WHEN "sealed_response" IS NOT NULL THEN ''
    END
) STORED;
