/**
 * Replaces the packages of `prisma studio` and `prisma dev`, which this project does not need. They take 115 MB, and Prisma's
 * command line loads them for every command.
 */
function notInstalled() {
  throw new Error(
    'This project installs Prisma without "prisma studio" and "prisma dev". Run them elsewhere with npx prisma@7.10.0.',
  );
}

module.exports = {
  createMySQL2Executor: notInstalled,
  createNodeSQLiteExecutor: notInstalled,
  createPostgresJSExecutor: notInstalled,
};
