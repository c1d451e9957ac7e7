// Tells the Prisma command line where the schema, its migrations and the database are.
import { defineConfig } from 'prisma/config';

const url = process.env['DIRECT_DATABASE_URL'] ?? process.env['DATABASE_URL'];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  ...(url === undefined ? {} : { datasource: { url } }),
  migrations: { path: 'prisma/migrations' },
});
