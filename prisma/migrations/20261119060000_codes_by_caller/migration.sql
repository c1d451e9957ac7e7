-- Wrong one-time codes are counted by caller, so that no caller locks out another, and for all callers of an agent together since
-- `failures_since`. The release before counts in `failed_attempts` alone; a lock that it sets ends within 15 minutes.
ALTER TABLE "mfa_enrolments"
    ADD COLUMN "failures_since" TIMESTAMPTZ(3),
    ADD COLUMN "callers" JSONB NOT NULL DEFAULT '{}';
