-- What a running service allows and has, for the operator's commands. Null for an instance of the release before, which does not say.
ALTER TABLE "instances"
    ADD COLUMN "allows_private_targets" BOOLEAN,
    ADD COLUMN "variables" TEXT[];
