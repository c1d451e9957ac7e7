-- AlterTable
ALTER TABLE "invocations" ADD COLUMN     "has_acted" BOOLEAN NOT NULL DEFAULT false;
