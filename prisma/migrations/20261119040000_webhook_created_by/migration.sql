-- The id of the key that created the webhook, so that a leaked key can be revoked with what it created. Null: the operator did, or it was
-- created before this column.
ALTER TABLE "webhooks" ADD COLUMN "created_by" TEXT COLLATE "C";
