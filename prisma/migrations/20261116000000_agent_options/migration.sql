-- AlterTable
ALTER TABLE "agents" ADD COLUMN     "budget" JSONB,
ADD COLUMN     "options" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "deployments" ADD COLUMN     "options" JSONB NOT NULL DEFAULT '{}';
