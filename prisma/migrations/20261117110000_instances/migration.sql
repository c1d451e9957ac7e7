-- CreateEnum
CREATE TYPE "instance_role" AS ENUM ('service', 'worker');

-- CreateTable
CREATE UNLOGGED TABLE "instances" (
    "id" TEXT COLLATE "C" NOT NULL,
    "role" "instance_role" NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "secrets_key_ids" TEXT[],
    "providers" TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "instances_pkey" PRIMARY KEY ("id")
);
