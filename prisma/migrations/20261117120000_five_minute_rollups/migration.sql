-- Every granularity of metrics has its rollups, so that those of five minutes are not added up from minutes.

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- compatible: no version was released that folds usage
ALTER TABLE "usage_rollups" DROP CONSTRAINT "usage_rollups_bucket_seconds_check",
ADD CONSTRAINT "usage_rollups_bucket_seconds_check" CHECK ("bucket_seconds" IN (60, 300, 3600, 86400));

INSERT INTO "usage_rollups" ("agent_id", "bucket_seconds", "bucket_start", "invocations", "failures", "duration_ms", "tokens",
                             "logs_debug", "logs_info", "logs_warn", "logs_error")
SELECT "agent_id", 300, date_bin('5 minutes', "bucket_start", 'epoch') AS "start", sum("invocations"), sum("failures"),
       sum("duration_ms"), sum("tokens"), sum("logs_debug"), sum("logs_info"), sum("logs_warn"), sum("logs_error")
  FROM "usage_rollups"
 WHERE "bucket_seconds" = 60
 GROUP BY "agent_id", "start";
