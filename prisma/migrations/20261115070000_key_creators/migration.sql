-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "created_by" TEXT COLLATE "C";
